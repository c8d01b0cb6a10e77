export type Theme = 'system' | 'light' | 'dark'

/**
 * The server writes what this cookie says into `<html data-theme>`, so that a page is never of the other scheme first.
 */
const COOKIE = 'headgate-theme'
const YEAR = 31_536_000_000

export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
  // Browsers have no place for it where the page comes neither by TLS nor from this machine.
  if (typeof cookieStore === 'undefined') return
  const kept =
    theme === 'system'
      ? cookieStore.delete(COOKIE)
      : cookieStore.set({ name: COOKIE, value: theme, path: '/', sameSite: 'lax', expires: Date.now() + YEAR })
  kept.catch(() => {})
}
