import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Section } from '../../components/page.tsx'
import { duration } from '../../formats/durations.ts'
import { LABELS } from '../../labels.ts'
import type { ModelRow } from './facts.ts'
import { Failures, NameList, Rate, Size, Unknown, YesNo } from './values.tsx'

const LINES: readonly { readonly title: string; of(row: ModelRow): ReactNode }[] = [
  { title: LABELS.providers, of: ({ providers }) => <NameList all={providers} /> },
  { title: 'Input $/M', of: ({ input }) => <Rate nanos={input} /> },
  { title: 'Output $/M', of: ({ output }) => <Rate nanos={output} /> },
  { title: 'Cached input $/M', of: ({ cached }) => <Rate nanos={cached} /> },
  { title: LABELS.context, of: ({ context }) => <Size tokens={context} /> },
  { title: LABELS.maxOutput, of: ({ longest }) => <Size tokens={longest} /> },
  { title: LABELS.inputs, of: ({ takes }) => <NameList all={takes} none="text only" /> },
  { title: LABELS.tools, of: ({ tools }) => <YesNo is={tools} /> },
  { title: LABELS.reasoning, of: ({ reasoning }) => <YesNo is={reasoning} /> },
  { title: LABELS.formats, of: ({ formats }) => <NameList all={formats.length > 0 ? formats : undefined} /> },
  {
    title: `${LABELS.ttft}, p50`,
    of: ({ firstByte }) => (firstByte === undefined ? <Unknown /> : duration(firstByte)),
  },
  { title: LABELS.failures, of: ({ requests, failures }) => <Failures requests={requests} failures={failures} /> },
]

export interface ModelComparisonProps {
  readonly rows: readonly ModelRow[]
  onChange(ids: readonly string[]): void
}

/** Comparison of models, side by side. */
export function ModelComparison({ rows, onChange }: ModelComparisonProps) {
  const without = (id: string): readonly string[] => rows.filter((one) => one.id !== id).map((one) => one.id)
  return (
    <Section title="Comparison" className="mb-4">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area needs keyboard focus */}
      <section className="overflow-x-auto" aria-label="Compared models" tabIndex={0}>
        <table className="w-full min-w-[32rem] border-collapse text-small">
          <thead>
            <tr className="border-b border-line">
              <th scope="col" className="h-(--row) w-40 px-2 text-left font-medium text-muted">
                {LABELS.model}
              </th>
              {rows.map(({ id }) => (
                <th key={id} scope="col" className="px-2 text-left font-semibold wrap-anywhere">
                  <span className="flex items-center justify-between gap-1">
                    {id}
                    <IconButton label={`Remove ${id} from the comparison`} onClick={() => onChange(without(id))}>
                      <X aria-hidden size={14} />
                    </IconButton>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {LINES.map(({ title, of }) => (
              <tr key={title} className="border-b border-line">
                <th scope="row" className="h-(--row) px-2 text-left font-normal text-muted">
                  {title}
                </th>
                {rows.map((row) => (
                  <td key={row.id} className="px-2">
                    {of(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  )
}
