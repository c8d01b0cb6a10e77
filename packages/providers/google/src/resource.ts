/** The name of a model as a resource. */
export function resourceName(model: string): string {
  return `models/${model}`
}

/** The path of a method of a model. */
export function methodPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(model)}:${method}`
}
