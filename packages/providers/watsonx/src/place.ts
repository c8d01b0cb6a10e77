/** Fields of every request: what it is charged to, and the version of the API. */
export interface Place {
  /** Of every body: `project_id` or `space_id`. */
  readonly owner: Readonly<Record<string, string>>
  /** Of every path: `version=2025-10-01`. */
  readonly version: string
}

interface Given {
  readonly version: string
  readonly projectId?: string | undefined
  readonly spaceId?: string | undefined
}

/** Place of a project, else of a space; undefined if the config has neither. */
export function placeOf({ version, projectId, spaceId }: Given): Place | undefined {
  const owner = projectId ? { project_id: projectId } : spaceId ? { space_id: spaceId } : undefined
  return owner && { version: `version=${version}`, owner }
}
