/** Fields of every request: its project or space, and the version of the API. */
export interface Place {
  /** Member of every body: `project_id` or `space_id`. */
  readonly owner: Readonly<Record<string, string>>
  /** Query of every path: `version=2025-10-01`. */
  readonly version: string
}

interface Given {
  readonly version: string
  readonly projectId?: string | undefined
  readonly spaceId?: string | undefined
}

/** Fields of a project, otherwise of a space. Undefined if the config has neither. */
export function placeOf({ version, projectId, spaceId }: Given): Place | undefined {
  const owner = projectId ? { project_id: projectId } : spaceId ? { space_id: spaceId } : undefined
  return owner && { version: `version=${version}`, owner }
}
