import type { Check } from '../../checks/check.ts'
import type { FailingFamily } from '../../failures/family-checks.ts'
import { isNative, question, said } from './drawing.ts'
import type { ImagesTarget } from './target.ts'
import { imagesVendor } from './vendor.ts'

export const FAILING_IMAGES: FailingFamily<ImagesTarget> = {
  requests: 'requests for images',
  topic: 'images',
  question: ({ images }) => question(images),
  error: ({ images }) => imagesVendor(images).error,
}

/** Responses with status 200 that have no image. */
export const noImageCheck: Check<ImagesTarget> = {
  name: 'never takes a response without an image for a success',
  async run(target) {
    const { harness, images } = target
    const findings: string[] = []
    const expect = async (what: string, due: number): Promise<void> => {
      const before = harness.rows.length
      const got = await harness.ask(question(images))
      const row = harness.rows.slice(before).at(-1)
      if (got.status !== due)
        findings.push(`For ${what}, callers get ${said(got)} Expected: ${due}; fix \`images.response\`.`)
      else if (row?.billed) findings.push(`For ${what}, the caller is billed: fix \`images.response\`.`)
    }
    harness.upstream.answer(imagesVendor(images, () => []).answer)
    await expect('a response without images', 500)
    harness.upstream.answer(imagesVendor(images, (all) => all.map(() => Buffer.from('no image'))).answer)
    if (!isNative(target)) await expect('a response with something that is not an image', 500)
    harness.upstream.answer({ kind: 'whole', body: {} })
    await expect('an empty response', 500)
    harness.upstream.answer({ kind: 'whole', body: '<!doctype html><title>Busy</title>' })
    await expect('a page in HTML', 500)
    const { blocked } = images
    if (blocked) {
      harness.upstream.answer((request) => ({ kind: 'whole', body: blocked(request) }))
      await expect('a blocked image', 400)
    }
    return findings
  },
}
