import { now } from '../clock.ts'
import { type HealthReport, type HealthTarget, keyOf, type TargetReport } from '../routing/health.ts'
import type { Core } from './core.ts'

type HealthSources = Pick<Core, 'instances' | 'health' | 'overruns' | 'load' | 'upstreamLimits'>

/** Reports of the endpoints that share an account. */
function ofAccount({ instances }: HealthSources, { account, ...report }: TargetReport): readonly HealthReport[] {
  const endpoints = instances.find(({ name }) => name === report.provider)?.endpoints ?? []
  const named = endpoints.filter((endpoint) => endpoint.name !== '' && endpoint.account === account)
  return named.length > 0 ? named.map(({ name }) => Object.assign({ endpoint: name }, report)) : [report]
}

/** Health of all providers, endpoints and models, with their calls in progress and the limits that upstreams reported. */
export function healthReport(core: HealthSources): readonly HealthReport[] {
  const moment = now()
  return core.health.report(moment, core.overruns, core.load.busy()).flatMap((entry): readonly HealthReport[] => {
    if (entry.account !== undefined) return ofAccount(core, entry)
    const { account: _, ...report } = entry
    const { provider, endpoint = '', model = '' } = report
    const target: HealthTarget = { provider, endpoint, account: '', model }
    const inFlight = core.load.inFlight(target)
    const limit = Math.min(core.load.limitOf(target, moment), core.health.admits(target, moment))
    const remaining = core.upstreamLimits.state(keyOf(target), moment)
    return [
      {
        ...report,
        ...(inFlight > 0 && { inFlight }),
        ...(Number.isFinite(limit) && { limit }),
        ...(remaining && { remaining }),
      },
    ]
  })
}
