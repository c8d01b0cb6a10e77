export type ColorTheme = 'system' | 'light' | 'dark'

/** Cookie with the color scheme. The server writes it into `<html data-theme>`, so that the first paint has it. */
const COOKIE = 'headgate-theme'
const YEAR = 31_536_000_000

export function chosenTheme(): ColorTheme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function chooseTheme(theme: ColorTheme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
  // Browsers have no `cookieStore` without HTTPS or localhost.
  if (typeof cookieStore === 'undefined') return
  const kept =
    theme === 'system'
      ? cookieStore.delete(COOKIE)
      : cookieStore.set({ name: COOKIE, value: theme, path: '/', sameSite: 'lax', expires: Date.now() + YEAR })
  kept.catch(() => {})
}
