import { z } from 'zod'

export const dollars = z.number().min(0)

/** Prices per kind of token. */
const rates = {
  input: dollars.describe('US dollars per million input tokens.'),
  output: dollars.describe('US dollars per million output tokens.'),
  cacheRead: dollars.exactOptional().describe('US dollars per million tokens read from a cache. Default: `input`.'),
  cacheWrite: dollars.exactOptional().describe('US dollars per million tokens written to a cache. Default: `input`.'),
  cacheWriteLong: dollars
    .exactOptional()
    .describe('US dollars per million tokens written to a cache for one hour. Default: `cacheWrite`.'),
  audioInput: dollars.exactOptional().describe('US dollars per million audio input tokens. Default: `input`.'),
  audioCached: dollars
    .exactOptional()
    .describe('US dollars per million audio tokens read from a cache. Default: `audioInput`, else `cacheRead`.'),
  audioOutput: dollars.exactOptional().describe('US dollars per million audio output tokens. Default: `output`.'),
  imageInput: dollars.exactOptional().describe('US dollars per million image input tokens. Default: `input`.'),
  imageOutput: dollars.exactOptional().describe('US dollars per million image output tokens. Default: `output`.'),
}

const tariff = {
  ...rates,
  long: z
    .strictObject({ above: z.int().min(1).describe('Requests with more input tokens are long.'), ...rates })
    .exactOptional()
    .describe('Prices of all tokens of a long request. Defaults of missing fields come from this object.'),
}

/** Price of a model at a provider. */
export const price = z.strictObject({
  ...tariff,
  tiers: z
    .record(
      z.string().min(1),
      z.union([
        z.strictObject({ factor: z.number().min(0).describe('Factor for every rate.') }),
        z.strictObject(tariff),
      ]),
    )
    .exactOptional()
    .describe(
      'Service tier of the response (`flex`, `priority`, `batch`) → factor for every rate, or rates. The cost of a response with a tier that is missing here and is not the usual one is unknown.',
    ),
  minimum: dollars.exactOptional().describe('Minimum cost of a request in US dollars. Default: 0.'),
  units: z
    .record(z.string(), dollars)
    .exactOptional()
    .describe(
      'US dollars per million units: `searches`, `images`, `pixels`, `seconds`, `milliseconds`, `characters`, `pages`. 40,000 is 4 cents each. The cost of a request with other units is unknown.',
    ),
  variants: z
    .record(z.string().min(1), z.record(z.string(), dollars))
    .exactOptional()
    .describe(
      'Variant of the response (`high:1536x1024`, `2K`) → US dollars per million units. A unit with a price here has no other price. The cost of another variant is unknown.',
    ),
  least: z
    .record(z.string(), z.int().min(0))
    .exactOptional()
    .describe('Minimum counts of a request by unit: `{ "milliseconds": 10000 }` bills shorter audio as 10 seconds.'),
  id: z.string().min(1).exactOptional().describe('Source and date of the price in usage rows. Default: "config".'),
})
