/** The path of a model of a publisher, whose version stands behind an `@`. */
export function modelPath(home: string, publisher: string, model: string): string {
  return `${home}/publishers/${publisher}/models/${encodeURIComponent(model).replaceAll('%40', '@')}`
}
