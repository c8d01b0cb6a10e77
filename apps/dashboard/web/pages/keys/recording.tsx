import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { SelectField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Part } from '../../components/page.tsx'
import { Failed } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { comingTime } from '../../formats/times.ts'
import { isRecorded } from './state.tsx'

/** Sign that requests of a key are recorded, with the end. Nothing is shown if they are not. */
export function RecordingChip({ of, now }: { readonly of: Pick<Key, 'tracedUntil'>; readonly now: number }) {
  if (!isRecorded(of, now)) return null
  return (
    <Chip tone="warn" title="Requests and responses of this key are stored encrypted for 24 hours.">
      recording until {comingTime(of.tracedUntil, now)}
    </Chip>
  )
}

const HOURS = [1, 4, 8, 24].map((hours) => ({ value: String(hours), title: hours === 1 ? '1 hour' : `${hours} hours` }))

/** Switch for the recording of a key's requests and responses. */
export function RecordingPart({ of, now }: { readonly of: Key; readonly now: number }) {
  const client = useQueryClient()
  const mayWrite = useMay('traces.write') !== undefined
  const [isAsking, setAsking] = useState(false)
  const stop = useMutation({
    mutationFn: () => callApi('DELETE /keys/{key}/trace', { params: { key: of.id } }),
    onSuccess: () => {
      toast(`Recording of ${titleOf(of)} stopped.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const until = isRecorded(of, now) ? comingTime(of.tracedUntil, now) : undefined
  const isOn = until !== undefined
  return (
    <Part title="Recording">
      <div className="flex flex-col items-start gap-2">
        <p className={isOn ? undefined : 'text-muted'}>
          {isOn
            ? `Requests and responses are recorded until ${until}, and kept encrypted for 24 hours.`
            : 'Off. Requests and responses of this key are not stored.'}
        </p>
        {mayWrite && !isOn && <Button onClick={() => setAsking(true)}>Start recording</Button>}
        {mayWrite && isOn && (
          <Button onClick={() => stop.mutate()} isBusy={stop.isPending}>
            Stop recording
          </Button>
        )}
        {stop.error && <Failed error={stop.error} />}
      </div>
      {isAsking && <StartRecording of={of} onClose={() => setAsking(false)} />}
    </Part>
  )
}

function StartRecording({ of, onClose }: { readonly of: Key; onClose(): void }) {
  const client = useQueryClient()
  const [hours, setHours] = useState('1')
  const start = useMutation({
    mutationFn: () => callApi('PUT /keys/{key}/trace', { params: { key: of.id }, body: { hours: Number(hours) } }),
    onSuccess: () => {
      toast(`Requests of ${titleOf(of)} are recorded.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Record ${titleOf(of)}`}
      lead="Stores requests and responses of this key encrypted for 24 hours, without credentials. The owner of the key, and owners and admins, can read them. Reads by others are in the audit log. The key shows that it is recorded."
      action="Start recording"
      request={start}
      onSubmit={() => start.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <SelectField label="Duration" value={hours} onPick={setHours} choices={HOURS} />
    </FormDialog>
  )
}
