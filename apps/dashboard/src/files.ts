import { existsSync, readFileSync } from 'node:fs'

/** File of the dashboard with its content. */
export interface DashboardFile {
  /** URL path: `/index.html`, `/assets/start-B3xk.js`. */
  readonly path: string
  /** Value of `content-type`. */
  readonly type: string
  /** True if the path changes with the content, so that browsers may cache the file permanently. */
  readonly isImmutable: boolean
  readonly bytes: Buffer
  /** Scripts by page, such as `spend`: of the page of all addresses, so that browsers load them with the first ones. */
  readonly scripts?: Readonly<Record<string, readonly string[]>> | undefined
  /** Compressed content, if it is smaller. */
  readonly brotli?: Buffer
  readonly gzip?: Buffer
}

/** File in the list that the build writes. Its path is also its name in the folder of the build. */
export interface BuiltFile extends Pick<DashboardFile, 'path' | 'type' | 'isImmutable' | 'scripts'> {
  /** Endings of the compressed files next to it. */
  readonly encodings: readonly ('br' | 'gz')[]
}

/** Folder of the build, as seen from `src` and from `dist`. */
const DIST = new URL('../dist/', import.meta.url)

/**
 * Files of the dashboard, read from disk. Empty if the dashboard is not built. `/index.html` is the page of every
 * address.
 */
export function dashboardFiles(dist: URL = DIST): readonly DashboardFile[] {
  const list = new URL('site.json', dist)
  if (!existsSync(list)) return []
  const built: readonly BuiltFile[] = JSON.parse(readFileSync(list, 'utf8'))
  return built.map(({ encodings, ...file }) => {
    const read = (ending = ''): Buffer => readFileSync(new URL(`site${file.path}${ending}`, dist))
    return {
      ...file,
      bytes: read(),
      ...(encodings.includes('br') && { brotli: read('.br') }),
      ...(encodings.includes('gz') && { gzip: read('.gz') }),
    }
  })
}
