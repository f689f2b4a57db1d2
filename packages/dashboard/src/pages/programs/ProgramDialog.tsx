import type { CreateProgram } from "@edp/domain/programs/Program"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { programsChanged, ProgramsClient } from "../../resources/programs.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { CheckField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { type ConditionForm, toCriteria } from "./condition.ts"
import { ConditionFields } from "./ConditionFields.tsx"
import "./programs.css"
import { SlugField } from "./SlugField.tsx"

interface Props {
  readonly open: boolean
  readonly onClose: () => void
}

const Form = ({ onClose }: Pick<Props, "onClose">) => {
  const t = useMessages("programs")
  const toast = useToast()
  const call = useApi(ProgramsClient)
  const [form, bind] = useFields({ name: "", slug: "", description: "", states: "" })
  const [condition, setCondition] = useState<ConditionForm>({ rows: [], match: "all" })
  const [isPublic, setPublic] = useState(false)
  const { run, busy, problem } = useAction(async () => {
    const codes = form.states.split(/[\s,]+/).filter((code) => code !== "")
    const payload = {
      ...form,
      states: codes.map((code) => code.toUpperCase()),
      visibility: isPublic ? "PUBLIC" : "PRIVATE",
      eligibility: toCriteria(condition)
    } as CreateProgram
    return await call((client) => client.programs.create({ payload }), programsChanged)
  })
  const field = bind(problem)
  const submit = async () => {
    const program = await run()
    if (program === undefined) return
    toast.done(t.createdProgram({ name: program.name }))
    onClose()
  }
  return (
    <DialogForm act={{ busy, problem }} action={t.create} onSubmit={submit} onCancel={onClose}>
      <TextField {...field("name")} label={t.name} required maxLength={255} />
      <SlugField {...field("slug")} />
      <TextAreaField {...field("description")} label={t.description} />
      <TextField {...field("states")} label={t.states} hint={t.statesHint} />
      <ConditionFields form={condition} onChange={setCondition} />
      <CheckField label={t.isPublic} checked={isPublic} onChange={setPublic} />
    </DialogForm>
  )
}

/** Creates a program. */
export const ProgramDialog = ({ open, onClose }: Props) => {
  const t = useMessages("programs")
  return (
    <Dialog open={open} onClose={onClose} title={t.newProgram}>
      <Form onClose={onClose} />
    </Dialog>
  )
}
