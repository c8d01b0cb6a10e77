import { compact, type Json, type Loss } from '@headgate/core/canonical'
import { asError, FAILURES, HeadgateError } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import { charge } from '../../cost/charge.ts'
import { callCostOf, type Spending } from '../../cost/spending/spending.ts'
import type { Principal } from '../../ports/ledger.ts'
import { type Candidate, candidates, subjectOf } from '../../routing/candidates.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import type { DrawnImage, ImageMaker, ImageWish } from '../../serve/image-maker.ts'
import { createFetcher } from '../../serve/media.ts'
import { instancesFor, mayUse, modelsOf } from '../../serve/permission.ts'
import type { CandidateCall } from '../../serve/upstream-caller.ts'
import { drawImages, type ImageServices } from './call.ts'
import { type ImagesInput, readGenerations, readJsonEdits } from './input.ts'
import { bytesOf, type Picture } from './pictures.ts'
import { type ImagesCall, planFor, type TranslatedPlan } from './plan.ts'

function inputOf({ prompt, size, quality, background, format, compression, images, mask }: ImageWish): ImagesInput {
  const json: Json = compact({
    prompt,
    size,
    quality,
    background,
    output_format: format,
    output_compression: compression,
  })
  if (images.length === 0) return readGenerations(json)
  const urls = images.map((image_url) => ({ image_url }))
  return readJsonEdits({ ...json, images: urls, ...(mask !== undefined && { mask: { image_url: mask } }) })
}

function drawn(picture: Picture): DrawnImage {
  const { type, size, revised, data } = picture
  return {
    type,
    base64: typeof data === 'string' ? data : bytesOf(picture).toString('base64'),
    size: size && `${size.width}x${size.height}`,
    revised,
  }
}

/** Images for other families. It tries the candidates of a model in order, each once. */
export function createImageMaker(core: Core, services: Pick<ImageServices, 'download'>): ImageMaker {
  const found = (principal: Principal, model: string): readonly Candidate[] => {
    const instances = instancesFor(principal, core.instances)
    const query = { model, vendor: undefined, family: core.served('images') }
    return candidates(instances, core.aliases, query, core.sameModels)
  }
  const planned = (context: Context, wish: ImageWish): readonly [ImagesCall, readonly TranslatedPlan[]] => {
    const asked: ImagesCall = { model: wish.model, wire: 'generations', input: inputOf(wish), hasLinks: false }
    const plans: TranslatedPlan[] = []
    let failure: HeadgateError | undefined
    for (const candidate of found(context.principal, wish.model)) {
      try {
        const plan = planFor(asked, candidate)
        if (plan.way === 'exchange') plans.push(plan)
      } catch (error) {
        failure ??= asError(error)
      }
    }
    if (plans.length > 0) return [asked, plans]
    throw failure ?? new HeadgateError('unknown-model', `No provider makes images with the model "${wish.model}".`)
  }
  return {
    modelFor(principal, names) {
      if (principal.families?.includes('images') === false) return undefined
      const patterns = modelsOf(principal)
      return names.find(
        (name): name is string => name !== undefined && mayUse(patterns, name) && found(principal, name).length > 0,
      )
    },
    lossesOf: (context, wish): readonly Loss[] => planned(context, wish)[1][0]?.losses ?? [],
    async make(context, wish, { signal, spending }) {
      const [asked, plans] = planned(context, wish)
      const fetch = createFetcher(core, context)
      const isWell = ({ candidate }: TranslatedPlan): boolean => core.health.isHealthy(subjectOf(candidate), now())
      let failure: HeadgateError | undefined
      for (const plan of [...plans.filter(isWell), ...plans.filter((one) => !isWell(one))]) {
        const subject = subjectOf(plan.candidate)
        try {
          const call = callOf(core, context, plan, signal, spending)
          const { pictures } = await drawImages(asked, plan, call, services, fetch)
          const [picture] = pictures
          if (!picture) throw new HeadgateError('upstream', 'The provider returned no image.')
          core.health.served(subject, now())
          return drawn(picture)
        } catch (error) {
          failure = asError(error)
          if (signal.aborted) throw failure
          core.health.failed(subject, failure, now())
          if (FAILURES[failure.kind].next === false) throw failure
        }
      }
      throw failure ?? new HeadgateError('upstream', 'No provider created the image.')
    },
  }
}

function callOf(
  core: Core,
  context: Context,
  { candidate }: TranslatedPlan,
  signal: AbortSignal,
  spending: Spending | undefined,
): CandidateCall {
  const price = core.priceOf(candidate, context.startedAt)
  return {
    core,
    context,
    candidate,
    signal,
    accounts: {
      spend: (row, usage) => charge(row, usage, price),
      reserve: spending && ((bound) => spending.reserve(callCostOf(subjectOf(candidate), price, bound))),
    },
  }
}
