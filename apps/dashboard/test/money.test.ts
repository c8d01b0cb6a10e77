import { describe, expect, it } from 'vitest'
import { exactMoney, money, nanosOf, rate, sumOf, typedMoney } from '../web/formats/money.ts'

const US = ['en-US']

describe('An amount', () => {
  it('has two decimals from a dollar on', () => {
    expect(money('1000000000', US)).toBe('$1.00')
    expect(money('4199204999999', US)).toBe('$4,199.20')
    expect(money('0', US)).toBe('$0.00')
  })

  it('has four digits below a dollar, and two decimals at least', () => {
    expect(money('500000000', US)).toBe('$0.50')
    expect(money('773500', US)).toBe('$0.0007735')
    expect(money('123456789', US)).toBe('$0.1235')
    expect(money('1000', US)).toBe('$0.000001')
  })

  it('is said to be less than the least that is shown, and never in powers of ten', () => {
    expect(money('999', US)).toBe('<$0.000001')
    expect(money('1', US)).toBe('<$0.000001')
    expect(money('-1', US)).toBe('>−$0.000001')
    expect(money('-773500', US)).toBe('-$0.0007735')
  })

  it('is not a number where nobody knows a price', () => {
    expect([money(null, US), exactMoney(null, US)]).toEqual(['unknown', 'unknown'])
  })

  it('is exact in full, whatever its size', () => {
    expect(exactMoney('9007199254740993123456789', US)).toBe('$9,007,199,254,740,993.123456789')
    expect(exactMoney('6100000', US)).toBe('$0.0061')
  })

  it('is in the reader’s locale', () => {
    expect(money('1234560000000', ['de-DE'])).toBe('1.234,56\u00a0$')
  })

  it('is read as it is typed, and written back so', () => {
    expect(['12', '12.5', '$ 0.000000001', '', 'abc', '1.0000000001', '-1'].map((typed) => nanosOf(typed, US))).toEqual(
      [...['12000000000', '12500000000', '1'], ...[undefined, undefined, undefined, undefined]],
    )
    expect(['12000000000', '12500000000', '1'].map((nanos) => typedMoney(nanos, US))).toEqual([
      '12',
      '12.5',
      '0.000000001',
    ])
  })

  it('is typed with the decimal sign that the locale shows', () => {
    const typed = (locale: string, text: string) => nanosOf(text, [locale])
    expect([typed('de-DE', '2,5'), typed('de-DE', '2.5'), typed('de-DE', '1.000,5')]).toEqual([
      ...['2500000000', '2500000000', '1000500000000'],
    ])
    expect([typed('en-US', '2,5'), typed('en-US', '1,000.5'), typed('fr-FR', '1 000,5')]).toEqual([
      ...[undefined, '1000500000000', '1000500000000'],
    ])
    expect([typed('ar-EG-u-nu-arab', '٣٫٥'), typed('fa-IR', '۲٫۵')]).toEqual(['3500000000', '2500000000'])
    for (const locale of ['en-US', 'de-DE', 'fr-FR', 'ar-EG-u-nu-arab', 'hi-IN'])
      for (const nanos of ['125000000', '1000000000000', '1234567890'])
        expect(nanosOf(typedMoney(nanos, [locale]), [locale]), `${locale} ${nanos}`).toBe(nanos)
  })

  it('adds up exactly, what is unknown aside', () => {
    expect(sumOf(['9007199254740993', '1', null])).toBe(9_007_199_254_740_994n)
  })

  it('of a million tokens has all its digits', () => {
    expect([rate(25_000_000, US), rate(undefined, US)]).toEqual(['$0.025', 'unknown'])
  })
})
