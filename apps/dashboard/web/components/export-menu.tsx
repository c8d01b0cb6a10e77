import { Download } from 'lucide-react'
import { ENTRY, Popover } from './popover.tsx'

export interface ExportMenuProps {
  readonly label: string
  /** Address of the file. */
  addressOf(format: 'csv' | 'ndjson'): string
}

/** Menu that downloads a list as a file. */
export function ExportMenu({ label, addressOf }: ExportMenuProps) {
  return (
    <Popover
      label={label}
      isAtEnd
      className="border-field! text-text!"
      face={
        <>
          <Download aria-hidden size={14} /> Export
        </>
      }
    >
      <a className={ENTRY} href={addressOf('csv')} download>
        CSV
      </a>
      <a className={ENTRY} href={addressOf('ndjson')} download>
        NDJSON
      </a>
    </Popover>
  )
}
