import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { typedTime } from '../formats/times.ts'

export interface BetweenProps {
  readonly from: number
  readonly to: number
  onChoose(from: number, to: number): void
  onClose(): void
}

/** Dialog for a custom time range. */
export function Between({ from, to, onChoose, onClose }: BetweenProps) {
  const [begin, setBegin] = useState(() => typedTime(from))
  const [end, setEnd] = useState(() => typedTime(to))
  const [isTried, setTried] = useState(false)
  const isValid = new Date(begin) < new Date(end)
  const choose = (): void => {
    setTried(true)
    if (isValid) onChoose(new Date(begin).getTime(), new Date(end).getTime())
  }
  return (
    <Dialog title="Custom time range" isOpen onClose={onClose}>
      <Form error={undefined} onSubmit={choose}>
        <TextField label="From" type="datetime-local" value={begin} onText={setBegin} />
        <TextField
          label="To"
          type="datetime-local"
          value={end}
          onText={setEnd}
          error={isTried && !isValid ? 'The end must be after the start.' : undefined}
          hint="In your time zone."
        />
        <DialogActions>
          <Button type="submit" look="primary">
            Apply
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
