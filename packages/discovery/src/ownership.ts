import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Trust in files and folders by their owners. */
export interface Ownership {
  /** Reason why the package.json of a folder is ignored; undefined = it is used. */
  againstProject(manifest: string): string | undefined
  /** Reason why content below a folder is ignored, checking all paths that lead to it; undefined = it is used. */
  againstContent(folder: string, steps: readonly string[]): string | undefined
  /** Reason why a file in the command's folder is ignored; undefined = it is used. */
  againstOwn(file: string): string | undefined
}

const ROOT = 0
const BY_OTHERS = 0o002

/**
 * Creates the checks. Trusted are the user of the process, root, and the owner of the folder in which the command runs
 * (docs/decisions/0011). On systems without such users, like Windows, everything is trusted.
 */
export function createOwnership(folder: string, user = process.geteuid?.()): Ownership {
  if (user === undefined) return { againstProject: nothing, againstContent: nothing, againstOwn: nothing }
  const trusted = new Set([user, ROOT, statSync(folder).uid])

  const againstOwner = (path: string): string | undefined => {
    const { uid } = statSync(path)
    return trusted.has(uid) ? undefined : `${path} belongs to another user (uid ${uid})`
  }
  /** Only the owner of a folder can place files in it, unless it is world-writable. */
  const againstPlaced = (path: string): string | undefined =>
    (statSync(dirname(path)).mode & BY_OTHERS) === 0 ? undefined : againstOwner(path)

  return {
    againstProject: (manifest) => againstOwner(dirname(manifest)) ?? againstOwner(manifest),
    againstContent: (place, steps) => {
      let reason = againstOwner(place)
      for (const step of steps) reason ??= againstPlaced(step)
      return reason
    },
    againstOwn: againstPlaced,
  }
}

function nothing(): undefined {
  return undefined
}
