import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import { isNative, question, said } from './drawing.ts'
import type { ImagesTarget } from './target.ts'
import { imagesVendor } from './vendor.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

export const imagesErrorsCheck: Check<ImagesTarget> = {
  name: "distinguishes the upstream's failures of requests for images",
  async run(target) {
    const { error } = imagesVendor(target.images)
    const findings: string[] = []
    for (const failure of [...failuresByStatus(error), ...transportFailures])
      findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

async function fail({ harness, images }: ImagesTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({ ...question(images), headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said(got)} ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
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

/** Places where a message of the upstream could expose the key. */
export const imagesSecrecyCheck = (secrets: readonly string[]): Check<ImagesTarget> => ({
  name: 'keeps its key out of errors and warnings about images',
  async run({ harness, images }) {
    const { error } = imagesVendor(images)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      harness.upstream.answer({ kind: 'whole', status, headers, body: error(status, echo) })
      await harness.ask(question(images))
    }
    const told = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})
