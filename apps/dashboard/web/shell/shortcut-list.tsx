import { Dialog } from '../components/dialog.tsx'
import { CheckField } from '../components/field.tsx'
import { shortcuts, useShortcutsOff } from './shortcuts.ts'

/** Dialog with the keyboard shortcuts of the page. */
export function ShortcutList({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const [areOff, turn] = useShortcutsOff()
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
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
        label="Turn off single-key shortcuts"
        hint="For voice control and switch access."
        checked={areOff}
        onCheck={turn}
      />
    </Dialog>
  )
}
