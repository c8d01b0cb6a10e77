import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'

export interface FileButtonProps {
  /** Types of files that may be chosen, as `image/*`. */
  readonly accept: string
  readonly isMultiple?: boolean
  readonly className?: string
  onFiles(files: readonly File[]): void
  readonly children: ReactNode
}

/** Button that has the browser ask for files. */
export function FileButton({ accept, isMultiple = false, className, onFiles, children }: FileButtonProps) {
  return (
    <label
      className={buttonClass(
        'plain',
        classes('cursor-pointer focus-within:outline-2 focus-within:outline-accent', className),
      )}
    >
      {children}
      <input
        type="file"
        multiple={isMultiple}
        accept={accept}
        className="sr-only"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}
