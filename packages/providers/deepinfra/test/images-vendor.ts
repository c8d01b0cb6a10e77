import type { ImagesFacts } from '@headgate/conformance'

/** Written from https://deepinfra.com/black-forest-labs/FLUX-1-schnell/api. */
export const images: ImagesFacts = {
  model: 'black-forest-labs/FLUX.1-Kontext-dev',
  paths: ['/v1/openai/images/generations', '/v1/openai/images/edits'],
  can: { n: 4, sizes: { multiple: 16, pixels: [65_536, 4_194_304], ratio: 4 }, images: 1 },
  write: ({ images: made }) => ({
    created: 1_707_000_000,
    data: made.map((image) => ({ b64_json: Buffer.from(image).toString('base64') })),
  }),
}
