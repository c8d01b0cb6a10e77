/** Resource name of a model. */
export function resourceName(model: string): string {
  return `models/${model}`
}

/** Path of a model's method. */
export function methodPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(model)}:${method}`
}
