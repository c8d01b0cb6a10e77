/** Path of a publisher's model, with its version after an `@`. */
export function modelPath(home: string, publisher: string, model: string): string {
  return `${home}/publishers/${publisher}/models/${encodeURIComponent(model).replaceAll('%40', '@')}`
}
