import { z } from 'zod'

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])
const webAddress = z.url({ protocol: /^https?$/ })
const addresses = z.union([webAddress, z.array(webAddress).min(1)])
const globs = z.array(z.string().min(1))

export const configSchema = z.strictObject({
  path: texts.exactOptional().describe('Folders or files, relative to the folder of the command.'),
  sitemap: addresses.exactOptional().describe('URLs of sitemaps; the pages of their own origin are read.'),
  feed: addresses.exactOptional().describe('URLs of JSON feeds.'),
  baseUrl: webAddress
    .exactOptional()
    .describe('What stands before the path of a file in its link; https://local.invalid/.'),
  include: globs.exactOptional().describe('Paths within the folders that are read; by default all.'),
  exclude: globs.exactOptional().describe('Paths within the folders that are not read.'),
  maxFileBytes: z.int().min(1).default(20_971_520).describe('Larger files are left out; 20971520.'),
  watch: z
    .boolean()
    .default(true)
    .describe('`false` reads changes only when the process starts, and with `headgate search index`.'),
})

export type LocalConfig = z.output<typeof configSchema>
