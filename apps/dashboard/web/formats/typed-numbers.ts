import { LOCALES } from './locale.ts'

interface NumberSigns {
  readonly decimal: string
  /** Digits of the locale by their value. */
  readonly digits: readonly string[]
}

/** Signs of numbers of the first locale. */
function signsOf(locales: readonly string[]): NumberSigns {
  const format = new Intl.NumberFormat([...locales], { useGrouping: false, minimumFractionDigits: 1 })
  const decimal = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const whole = new Intl.NumberFormat([...locales], { useGrouping: false })
  return { decimal, digits: Array.from({ length: 10 }, (_, digit) => whole.format(digit)) }
}

/**
 * Decimal number as typed in a locale, with a period and without groups; undefined = not a number. `1,5` is one and a
 * half where the comma is the decimal sign, and not a number in other locales.
 */
export function decimalText(typed: string, locales: readonly string[] = LOCALES): string | undefined {
  const { decimal, digits } = signsOf(locales)
  const latin = [...typed.trim()].map((sign) => (digits.includes(sign) ? String(digits.indexOf(sign)) : sign)).join('')
  const text = latin
    .replaceAll(/[\s'’]/g, '')
    .replaceAll('٫', decimal)
    .replaceAll('٬', '')
  const plain = /^\d+(\.\d+)?$/
  if (decimal === '.') {
    const ungrouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text
    return plain.test(ungrouped) ? ungrouped : undefined
  }
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(text) && !text.startsWith('0'))
    return text.replaceAll('.', '').replace(',', '.')
  const point = text.replace(decimal, '.')
  return plain.test(point) ? point : undefined
}

/** Decimal number with a period, as users of a locale type it. */
export function typedDecimal(text: string, locales: readonly string[] = LOCALES): string {
  const { decimal } = signsOf(locales)
  return decimal === '.' ? text : text.replace('.', decimal)
}
