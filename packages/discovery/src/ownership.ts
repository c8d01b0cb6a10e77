import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Who may decide what is run here: whoever owns what lies at a path, and the folder that it lies in. */
export interface Ownership {
  /** Why the package.json of a folder does not count; undefined = it does. */
  againstProject(manifest: string): string | undefined
  /** Why something below a folder does not count, by the paths that lead to it from there; undefined = it does. */
  againstContent(folder: string, steps: readonly string[]): string | undefined
  /** Why a file in the folder of the command does not count; undefined = it does. */
  againstOwn(file: string): string | undefined
}

const ROOT = 0
const BY_OTHERS = 0o002

/**
 * Trusted are the user of the process, root, and the owner of the folder in which the command was given: who gives it
 * there trusts that folder (docs/decisions/0011). Where there are no such users, as on Windows, everything counts.
 */
export function createOwnership(folder: string, user = process.geteuid?.()): Ownership {
  if (user === undefined) return { againstProject: nothing, againstContent: nothing, againstOwn: nothing }
  const trusted = new Set([user, ROOT, statSync(folder).uid])

  const againstOwner = (path: string): string | undefined => {
    const { uid } = statSync(path)
    return trusted.has(uid) ? undefined : `${path} belongs to another user (uid ${uid})`
  }
  /** Only who owns a folder puts something into it, unless everybody may. */
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
