import { z } from 'zod'

const strings = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])
const webAddress = z.url({ protocol: /^https?$/ })
const addresses = z.union([webAddress, z.array(webAddress).min(1)])
const globs = z.array(z.string().min(1))

export const configSchema = z.strictObject({
  path: strings.exactOptional().describe('Folders or files, relative to the folder of the command.'),
  sitemap: addresses.exactOptional().describe('URLs of sitemaps; only pages on their origin are read.'),
  feed: addresses.exactOptional().describe('URLs of JSON feeds.'),
  baseUrl: webAddress.exactOptional().describe('URL prefix of file paths in links; default https://local.invalid/.'),
  include: globs.exactOptional().describe('Patterns of paths to include; by default all.'),
  exclude: globs.exactOptional().describe('Patterns of paths to exclude.'),
  maxFileBytes: z.int().min(1).default(20_971_520).describe('Maximum size of a file in bytes; default 20971520.'),
  watch: z
    .boolean()
    .default(true)
    .describe('If `false`, changes are read only when the process starts, and with `headgate search index`.'),
})

export type LocalConfig = z.output<typeof configSchema>
