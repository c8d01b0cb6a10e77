const TRIED = 'headgate.reloaded'
/** Within which it is not tried twice, in milliseconds. */
const PATIENCE = 60_000

/** A page that is older than the gateway asks for files that are no longer there: it is loaded anew, once. */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(TRIED) ?? 0)
    if (Date.now() - last < PATIENCE) return
    event.preventDefault()
    sessionStorage.setItem(TRIED, String(Date.now()))
    location.reload()
  })
}
