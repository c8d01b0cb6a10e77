const TRIED = 'headgate.reloaded'
/** Minimum time between two reloads, in milliseconds. */
const PATIENCE = 60_000

/** Reloads a page whose files no longer exist because the gateway was upgraded, at most once a minute. */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(TRIED) ?? 0)
    if (Date.now() - last < PATIENCE) return
    event.preventDefault()
    sessionStorage.setItem(TRIED, String(Date.now()))
    location.reload()
  })
}
