import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../../api/me.ts'
import { UserError } from '../../../api/problem.ts'
import { IconButton } from '../../../components/button.tsx'
import { NameDialog } from '../../../components/name-dialog.tsx'
import { ENTRY, Popover } from '../../../components/popover.tsx'
import { toast } from '../../../components/toasts.tsx'
import { type PresetSettings, readPresets, removePreset, savePreset } from './presets.ts'

export interface PresetsMenuProps {
  /** Current settings. */
  readonly settings: PresetSettings
  onApply(settings: PresetSettings): void
}

/** Menu that applies, saves and removes settings under a name. */
export function PresetsMenu({ settings, onApply }: PresetsMenuProps) {
  const user = useMe()?.id ?? ''
  const [presets, setPresets] = useState(() => readPresets(user))
  const [isSaving, setSaving] = useState(false)
  const refresh = (): void => setPresets(readPresets(user))
  const save = async (name: string): Promise<void> => {
    if (!savePreset(user, { name, settings })) throw new UserError('This browser cannot store the preset.')
    refresh()
    toast(`Preset ${name} saved in this browser.`)
  }
  return (
    <>
      <Popover label="Presets" face="Presets" isAtEnd className="border-field!">
        {presets.length === 0 && <p className="px-3 py-1.5 text-muted">No presets yet.</p>}
        {presets.map(({ name, settings: stored }) => (
          <div key={name} className="flex items-center gap-1">
            <button type="button" data-closes className={ENTRY} onClick={() => onApply(stored)}>
              <span className="truncate">{name}</span>
            </button>
            <IconButton
              label={`Remove ${name}`}
              onClick={() => {
                removePreset(user, name)
                refresh()
              }}
            >
              <Trash2 aria-hidden size={14} />
            </IconButton>
          </div>
        ))}
        <button type="button" data-closes className={`${ENTRY} border-t border-line`} onClick={() => setSaving(true)}>
          Save settings…
        </button>
      </Popover>
      {isSaving && (
        <NameDialog
          title="Save preset"
          action="Save"
          before=""
          hint="System prompt, parameters and tools. Stored in this browser; a preset of this name is replaced."
          save={save}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
}
