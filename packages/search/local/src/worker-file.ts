/** File of a thread: next to this file, built or as source. */
export function workerFile(name: string): URL {
  return new URL(`./${name}.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
}
