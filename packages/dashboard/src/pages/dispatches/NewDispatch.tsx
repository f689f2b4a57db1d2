import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { dispatchesChanged, DispatchesClient } from "../../resources/dispatches.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { DateTimeField } from "../../kit/DateTimeField.tsx"
import { CheckField, ChoiceField, SelectField, TextField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom, nowMillis } from "../../state/now.ts"
import { DispatchForecast } from "./DispatchForecast.tsx"
import {
  type DispatchForm,
  formActions,
  formProblems,
  type FormType,
  startChoices,
  startFrom,
  takesPower,
  toCreateDispatch
} from "./newDispatch.ts"

interface FormProps {
  readonly instanceId: string
  readonly timeZone: string
  readonly onClose: () => void
}

const types = Object.keys(formActions) as ReadonlyArray<FormType>

const Form = ({ instanceId, timeZone, onClose }: FormProps) => {
  const t = useMessages("dispatches")
  const language = useLanguage()
  const now = useAtomValue(minuteAtom)
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(DispatchesClient)
  const [form, setForm] = useState<DispatchForm>(() => ({
    name: t.defaultName({
      time: formatTime(language, nowMillis(), { dateStyle: "medium", timeStyle: "short", timeZone })
    }),
    startIn: "10",
    start: startFrom(nowMillis(), timeZone),
    minutes: "60",
    type: "battery",
    action: "discharge",
    grid: false,
    power: "",
    nominated: "",
    random: "",
    voluntary: true,
    test: false,
    draft: false
  }))
  const set = (changed: Partial<DispatchForm>) => setForm((former) => ({ ...former, ...changed }))
  const create = useAction(() =>
    call(
      (client) =>
        client.dispatches.create({
          params: { id: instanceId },
          payload: toCreateDispatch(form, timeZone, nowMillis())
        }),
      dispatchesChanged
    )
  )
  const submit = async () => {
    const made = await create.run()
    if (made === undefined) return
    toast.done(form.draft ? t.kept : t.done)
    void navigate({ to: "/dashboard/dispatches/$id", params: { id: made.id } })
  }
  const problems = formProblems(form, timeZone, nowMillis())
  const invalid = (field: keyof DispatchForm) => {
    const found = problems[field]
    return found === undefined ? undefined : t[found]
  }
  return (
    <DialogForm act={create} action={form.draft ? t.keep : t.announce} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={form.name}
        onChange={(name) => set({ name })}
        invalid={invalid("name")}
        required
        maxLength={255}
        autoFocus
      />
      <div className="grid">
        <SelectField
          label={t.type}
          value={form.type}
          options={types.map((value) => ({ value, label: t.types[value] }))}
          onChange={(type) => set({ type, action: formActions[type][0] })}
        />
        <SelectField
          label={t.action}
          value={form.action}
          options={formActions[form.type].map((value) => ({ value, label: t.actions[value] }))}
          onChange={(action) => set({ action })}
        />
      </div>
      {form.type === "battery" && form.action !== "idle" && (
        <div className="stack tight">
          <p className="muted">{t.gridLead[form.action === "charge" ? "charge" : "discharge"]}</p>
          <CheckField
            label={t.grid[form.action === "charge" ? "charge" : "discharge"]}
            checked={form.grid}
            onChange={(grid) => set({ grid })}
          />
        </div>
      )}
      <ChoiceField
        label={t.start}
        value={form.startIn}
        options={startChoices.map((value) => ({ value, label: t.startsIn[value] }))}
        onChange={(startIn) => set({ startIn })}
        invalid={form.startIn === "time" ? undefined : invalid("start")}
      />
      <div className="grid">
        {form.startIn === "time" && (
          <DateTimeField
            kind="datetime"
            label={t.startTime}
            timeZone={timeZone}
            value={form.start}
            onChange={(start) => set({ start })}
            invalid={invalid("start")}
            required
          />
        )}
        <TextField
          label={t.minutes}
          inputMode="numeric"
          value={form.minutes}
          onChange={(minutes) => set({ minutes })}
          invalid={invalid("minutes")}
          required
        />
        {takesPower(form.action) && (
          <TextField
            label={t.power}
            hint={t.powerHint}
            inputMode="numeric"
            value={form.power}
            onChange={(power) => set({ power })}
            invalid={invalid("power")}
          />
        )}
      </div>
      {Object.keys(problems).length === 0 && form.name.trim() !== "" && (
        <DispatchForecast instanceId={instanceId} dispatch={toCreateDispatch(form, timeZone, now)} />
      )}
      <details className="dispatch-options">
        <summary>{t.options}</summary>
        <div className="stack">
          <div className="grid">
            <TextField
              label={t.nominatedPower}
              hint={t.nominatedHint}
              inputMode="numeric"
              value={form.nominated}
              onChange={(nominated) => set({ nominated })}
              invalid={invalid("nominated")}
            />
            <TextField
              label={t.random}
              hint={t.randomHint}
              inputMode="numeric"
              value={form.random}
              onChange={(random) => set({ random })}
              invalid={invalid("random")}
            />
          </div>
          <div className="stack tight">
            <CheckField label={t.voluntary} checked={form.voluntary} onChange={(voluntary) => set({ voluntary })} />
            <CheckField label={t.testField} checked={form.test} onChange={(test) => set({ test })} />
            <CheckField label={t.draft} checked={form.draft} onChange={(draft) => set({ draft })} />
          </div>
        </div>
      </details>
      <p className="muted">{t.more}</p>
    </DialogForm>
  )
}

interface NewDispatchProps extends FormProps {
  readonly open: boolean
}

/** A dispatch of one interval and one type of devices. */
export const NewDispatch = ({ open, ...rest }: NewDispatchProps) => {
  const t = useMessages("dispatches")
  return (
    <Dialog open={open} onClose={rest.onClose} title={t.create} wide>
      <Form {...rest} />
    </Dialog>
  )
}
