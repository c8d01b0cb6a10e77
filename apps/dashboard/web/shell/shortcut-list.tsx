import { Dialog } from '../components/dialog.tsx'
import { CheckField } from '../components/field.tsx'
import { shortcuts, useShortcutsOff } from './shortcuts.ts'

/** What keys do on this page. */
export function ShortcutList({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const [areOff, turn] = useShortcutsOff()
  return (
    <Dialog title="What keys do" isOpen={isOpen} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {shortcuts().map(({ keys, label }) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(/[ +]/).map((key) => (
                <kbd key={key} className="rounded-field border border-field px-1.5 font-mono text-small">
                  {key === 'mod' ? 'Ctrl / ⌘' : key}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Single letters do nothing"
        hint="For who speaks to their computer, or types with a switch."
        checked={areOff}
        onCheck={turn}
      />
    </Dialog>
  )
}
