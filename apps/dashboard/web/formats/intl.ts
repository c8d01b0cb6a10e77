type Locales = string | readonly string[]

/** Returns a function that creates a formatter once for the same locales and options: creating one is slow. */
function cached<Options extends object, Formatter>(
  create: (locales: string[], options: Options) => Formatter,
): (locales: Locales, options?: Options) => Formatter {
  const known = new Map<string, Formatter>()
  return (locales, options) => {
    const all = typeof locales === 'string' ? [locales] : [...locales]
    const key = JSON.stringify([all, options])
    const found = known.get(key) ?? create(all, options ?? ({} as Options))
    known.set(key, found)
    return found
  }
}

export const dateFormat = cached(
  (locales, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locales, options),
)
export const numberFormat = cached(
  (locales, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locales, options),
)
export const relativeFormat = cached(
  (locales, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locales, options),
)
