import { z } from 'zod'

export const dollars = z.number().min(0)

/** What the kinds of tokens cost. */
const rates = {
  input: dollars.describe('US dollars per million input tokens.'),
  output: dollars.describe('US dollars per million output tokens.'),
  cacheRead: dollars
    .exactOptional()
    .describe('US dollars per million tokens read from a cache; by default those of `input`.'),
  cacheWrite: dollars
    .exactOptional()
    .describe('US dollars per million tokens written to a cache; by default those of `input`.'),
  cacheWriteLong: dollars
    .exactOptional()
    .describe('US dollars per million tokens written to a cache for an hour; by default those of `cacheWrite`.'),
  audioInput: dollars
    .exactOptional()
    .describe('US dollars per million input tokens that are sound; by default those of `input`.'),
  audioCached: dollars
    .exactOptional()
    .describe(
      'US dollars per million tokens of sound that are read from a cache; by default those of `audioInput`, else of `cacheRead`.',
    ),
  audioOutput: dollars
    .exactOptional()
    .describe('US dollars per million output tokens that are sound; by default those of `output`.'),
  imageInput: dollars
    .exactOptional()
    .describe('US dollars per million input tokens that are images; by default those of `input`.'),
  imageOutput: dollars
    .exactOptional()
    .describe('US dollars per million output tokens that are images; by default those of `output`.'),
}

const tariff = {
  ...rates,
  long: z
    .strictObject({ above: z.int().min(1).describe('A request with more input tokens is a long one.'), ...rates })
    .exactOptional()
    .describe('What all tokens of a long request cost; what is absent here has its default within this object.'),
}

/** What a model costs at a provider. */
export const price = z.strictObject({
  ...tariff,
  tiers: z
    .record(
      z.string().min(1),
      z.union([
        z.strictObject({ factor: z.number().min(0).describe('By what every rate is multiplied.') }),
        z.strictObject(tariff),
      ]),
    )
    .exactOptional()
    .describe(
      'By the tier of service that an answer names (`flex`, `priority`, `batch`): a factor of every rate, or rates. An answer of another tier than the usual one that is not here has no known cost.',
    ),
  minimum: dollars.exactOptional().describe('US dollars that a request costs at least; 0.'),
  units: z
    .record(z.string(), dollars)
    .exactOptional()
    .describe(
      'US dollars of one unit, by its name: `searches`, `images`, `seconds`, `characters`, `pages`. A request that has used another one has no known cost.',
    ),
  id: z.string().min(1).exactOptional().describe('Names source and date of the price in the usage rows; "config".'),
})
