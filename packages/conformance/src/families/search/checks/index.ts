import { secretOf } from '../../../place.ts'
import type { SearchFacts } from '../facts.ts'
import { brokenCheck } from './broken.ts'
import type { RemoteSearchTarget, SearchCheck } from './check.ts'
import { errorsCheck } from './errors.ts'
import { filterCheck } from './filtering.ts'
import { gapsCheck } from './gaps.ts'
import { keylessCheck } from './keyless.ts'
import { abortCheck, lifecycleCheck } from './lifecycle.ts'
import { manifest } from './manifest.ts'
import { markupCheck } from './markup.ts'
import { findCheck, findNothingCheck, ownAbortCheck, ownPagesCheck, ownSitesCheck } from './own.ts'
import { endCheck, pagesCheck } from './paging.ts'
import { supportsCheck, wordsCheck } from './parameters.ts'
import { reachCheck } from './reach.ts'
import { requestCheck } from './request.ts'
import { emptyCheck, resultsCheck } from './results.ts'
import { secrecyCheck } from './secrecy.ts'

export type { SearchCheck } from './check.ts'

/** All checks of a search backend with these facts. */
export function searchChecksFor(facts: SearchFacts<unknown>): SearchCheck[] {
  const { upstream, keyless } = facts
  if (!upstream)
    return [manifest, findCheck, findNothingCheck, ownPagesCheck, ownSitesCheck, ownAbortCheck, lifecycleCheck]
  const secret = secretOf(facts)
  const remote: SearchCheck<RemoteSearchTarget>[] = [
    reachCheck,
    requestCheck,
    supportsCheck,
    wordsCheck,
    resultsCheck,
    gapsCheck,
    markupCheck,
    emptyCheck,
    pagesCheck,
    endCheck,
    filterCheck,
    brokenCheck,
    errorsCheck,
    abortCheck,
    ...(keyless === undefined ? [] : [keylessCheck]),
    ...(secret === undefined ? [] : [secrecyCheck(secret)]),
  ]
  return [
    manifest,
    ...remote.map(({ run, ...check }): SearchCheck => ({ ...check, run: (target) => run({ ...target, upstream }) })),
    lifecycleCheck,
  ]
}
