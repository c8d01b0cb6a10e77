/** What every request says of itself: where it is counted, and by which version of the API it is meant. */
export interface Place {
  /** Of every body: `project_id` or `space_id`. */
  readonly owner: Readonly<Record<string, string>>
  /** Of every path: `version=2025-10-01`. */
  readonly version: string
}

/** Of a request that is counted for a project, else for a space. */
export function placeOf(version: string, projectId: string | undefined, spaceId: string | undefined): Place {
  return {
    version: `version=${version}`,
    owner: projectId !== undefined ? { project_id: projectId } : { space_id: spaceId ?? '' },
  }
}
