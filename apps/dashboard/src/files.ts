import { existsSync, readFileSync } from 'node:fs'

/** A file of the dashboard, whole. */
export interface DashboardFile {
  /** By which browsers ask for it: `/index.html`, `/assets/start-B3xk.js`. */
  readonly path: string
  /** For `content-type`. */
  readonly type: string
  /** Whether its path changes with its content, so that browsers may keep it for ever. */
  readonly isImmutable: boolean
  readonly bytes: Buffer
  /** The same compressed, where that is smaller. */
  readonly brotli?: Buffer
  readonly gzip?: Buffer
}

/** What the build says of a file, whose path is also its name in the folder of the build. */
export interface BuiltFile extends Pick<DashboardFile, 'path' | 'type' | 'isImmutable'> {
  /** Endings of the compressed files beside it. */
  readonly encodings: readonly ('br' | 'gz')[]
}

/** The same place from `src` and from `dist`. */
const DIST = new URL('../dist/', import.meta.url)

/**
 * All files of the dashboard, read now; none where it has not been built. `/index.html` is the page of every address.
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
