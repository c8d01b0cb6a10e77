export const REPOSITORY = 'https://github.com/headgate/headgate'

/** Anchor of a heading, as GitHub creates it. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
