import type { ModelItem } from '../../api/models.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { Part } from '../../components/page.tsx'
import { failureText } from '../../failures.ts'
import { duration } from '../../formats/durations.ts'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { YesNo } from './values.tsx'

type Alias = NonNullable<ModelItem['alias']>
type ShownTarget = Alias['targets'][number]

const PLACES: Readonly<Record<Alias['policyFrom'], string>> = {
  alias: 'set for this alias',
  routing: 'routing.policy of the configuration',
  default: 'default',
}

/** Definition of an alias: its models, fallbacks and policy. It can be changed in the configuration only. */
export function AliasPart({ id, of }: { readonly id: string; readonly of: Alias }) {
  const { targets, policy, policyFrom, minContext, maxPrice, labels = {}, firstByte, hedge } = of
  return (
    <Part title="Alias">
      <ol className="mb-2 flex list-decimal flex-col gap-1 pl-5">
        {targets.map((target) => (
          <li key={`${target.model} ${target.on?.join() ?? ''}`}>
            <span className="wrap-anywhere">{target.model}</span>
            <span className="text-muted">{targetText(target)}</span>
          </li>
        ))}
      </ol>
      <Facts>
        <Fact name="Policy">
          {policy} <span className="text-muted">({PLACES[policyFrom]})</span>
        </Fact>
        {minContext !== undefined && <Fact name="Minimum context">{count(minContext)}</Fact>}
        {maxPrice && <Fact name="Maximum price">{priceText(maxPrice)}</Fact>}
        {Object.entries(labels).map(([name, values]) => (
          <Fact key={name} name={`Label ${name}`}>
            {values.map(String).join(' or ')}
          </Fact>
        ))}
        {firstByte !== undefined && <Fact name={`Maximum ${LABELS.ttft}`}>{duration(firstByte)}</Fact>}
        {hedge !== undefined && (
          <Fact name="Second call if slow">
            <YesNo is={hedge} />
          </Fact>
        )}
      </Facts>
      <p className="mt-2 text-small text-muted">
        Set in the configuration file, as <code className="wrap-anywhere">models[{JSON.stringify(id)}]</code>. It cannot
        be changed here.
      </p>
    </Part>
  )
}

/** Weight of a model, and the failures after which it is tried. */
export function targetText({ weight, on }: ShownTarget): string {
  const parts = [
    ...(weight === undefined ? [] : [`weight ${count(weight)}`]),
    ...(on === undefined ? [] : [`only after: ${on.map(failureText).join(', ')}`]),
  ]
  return parts.length === 0 ? '' : ` · ${parts.join(' · ')}`
}

function priceText({ input, output }: NonNullable<Alias['maxPrice']>): string {
  const parts = [
    ...(input === undefined ? [] : [`$${count(input)} per million input tokens`]),
    ...(output === undefined ? [] : [`$${count(output)} per million output tokens`]),
  ]
  return parts.join(', ')
}
