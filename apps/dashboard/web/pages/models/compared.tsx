import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Section } from '../../components/page.tsx'
import { duration } from '../../formats/durations.ts'
import type { ModelRow } from './facts.ts'
import { Failures, Rate, Size, Unknown, Words, YesNo } from './values.tsx'

const LINES: readonly { readonly title: string; of(row: ModelRow): ReactNode }[] = [
  { title: 'Served by', of: ({ providers }) => <Words all={providers} /> },
  { title: 'Input / M', of: ({ input }) => <Rate nanos={input} /> },
  { title: 'Output / M', of: ({ output }) => <Rate nanos={output} /> },
  { title: 'Cached input / M', of: ({ cached }) => <Rate nanos={cached} /> },
  { title: 'Context', of: ({ context }) => <Size tokens={context} /> },
  { title: 'Longest output', of: ({ longest }) => <Size tokens={longest} /> },
  { title: 'Takes beside text', of: ({ takes }) => <Words all={takes} none="text alone" /> },
  { title: 'Tools', of: ({ tools }) => <YesNo is={tools} /> },
  { title: 'Reasoning', of: ({ reasoning }) => <YesNo is={reasoning} /> },
  { title: 'Speaks natively', of: ({ formats }) => <Words all={formats.length > 0 ? formats : undefined} /> },
  { title: 'First byte, p50', of: ({ firstByte }) => (firstByte === undefined ? <Unknown /> : duration(firstByte)) },
  { title: 'Failed', of: ({ requests, failures }) => <Failures requests={requests} failures={failures} /> },
]

export interface ComparedProps {
  readonly rows: readonly ModelRow[]
  onChange(ids: readonly string[]): void
}

/** Models side by side, a line for each thing that is known of them. */
export function Compared({ rows, onChange }: ComparedProps) {
  const without = (id: string): readonly string[] => rows.filter((one) => one.id !== id).map((one) => one.id)
  return (
    <Section title="Compared" className="mb-4">
      {/* A table that may be wider than a phone is scrolled by keys as well. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached */}
      <section className="overflow-x-auto" aria-label="Models that are compared" tabIndex={0}>
        <table className="w-full min-w-[32rem] border-collapse text-small">
          <thead>
            <tr className="border-b border-line">
              <th scope="col" className="h-(--row) w-40 px-2 text-left font-medium text-muted">
                Model
              </th>
              {rows.map(({ id }) => (
                <th key={id} scope="col" className="px-2 text-left font-semibold wrap-anywhere">
                  <span className="flex items-center justify-between gap-1">
                    {id}
                    <IconButton label={`Compare ${id} no longer`} onClick={() => onChange(without(id))}>
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
