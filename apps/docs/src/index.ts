/** The documentation site, built: a handler for a server of `node:http`. */
export { createDocs, type DocsHandler } from './serve.ts'
