/** A file of the dashboard, whole. */
export interface SiteFile {
  /** By which browsers ask for it: `/index.html`, `/assets/start-B3xk.js`. */
  readonly path: string
  /** For `content-type`. */
  readonly type: string
  /** Whether its path changes with its content, so that browsers may keep it for ever. */
  readonly isImmutable: boolean
  readonly bytes: Buffer
  /** The same compressed. */
  readonly brotli?: Buffer
  readonly gzip?: Buffer
}

/** The page that every address of the dashboard opens. */
export const PAGE = '/index.html'
