import type { CreateProgram, Program } from "@edp/domain/programs/Program"
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
import { readCriteria, toCriteria, toForm } from "./condition.ts"
import { type ConditionDraft, ConditionFields } from "./ConditionFields.tsx"
import "./programs.css"
import { SlugField } from "./SlugField.tsx"
import { StatesField } from "./StatesField.tsx"

interface FormProps {
  /** The program to change; undefined for a new one. */
  readonly stored?: Program | undefined
  readonly onClose: () => void
}

const firstDraft = (criteria: Program["eligibility"]): ConditionDraft =>
  toForm(criteria) ?? JSON.stringify(criteria, null, 2)

const Form = ({ stored, onClose }: FormProps) => {
  const t = useMessages("programs")
  const toast = useToast()
  const call = useApi(ProgramsClient)
  const [form, bind] = useFields({
    name: stored?.name ?? "",
    slug: stored?.slug ?? "",
    description: stored?.description ?? ""
  })
  const [states, setStates] = useState(stored?.states ?? [])
  const [condition, setCondition] = useState(firstDraft(stored?.eligibility ?? null))
  const [isPublic, setPublic] = useState(stored?.visibility === "PUBLIC")
  const act = useAction(() => {
    const { slug, ...fields } = form
    const changes = {
      ...fields,
      states,
      visibility: isPublic ? "PUBLIC" : "PRIVATE",
      eligibility: typeof condition === "string" ? readCriteria(condition)! : toCriteria(condition)
    } as const
    return stored === undefined
      ? call(
          (client) => client.programs.create({ payload: { ...changes, slug: slug as CreateProgram["slug"] } }),
          programsChanged
        )
      : call((client) => client.programs.update({ params: { slug: stored.slug }, payload: changes }), programsChanged)
  })
  const field = bind(act.problem)
  const submit = async () => {
    const program = await act.run()
    if (program === undefined) return
    toast.done(
      stored === undefined ? t.createdProgram({ name: program.name }) : t.changedProgram({ name: program.name })
    )
    onClose()
  }
  const problem = act.problem?.kind === "refused" ? act.problem.details["states"] : undefined
  return (
    <DialogForm act={act} action={stored === undefined ? t.create : t.save} onSubmit={submit} onCancel={onClose}>
      <TextField {...field("name")} label={t.name} required maxLength={255} />
      {stored === undefined && <SlugField {...field("slug")} />}
      <TextAreaField {...field("description")} label={t.description} />
      <StatesField chosen={states} onChange={setStates} problem={problem} />
      <ConditionFields draft={condition} onChange={setCondition} />
      <CheckField label={t.isPublic} checked={isPublic} onChange={setPublic} />
    </DialogForm>
  )
}

/** Creates or changes a program. */
export const ProgramDialog = ({ open, ...rest }: FormProps & { readonly open: boolean }) => {
  const t = useMessages("programs")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.stored ? t.changeProgram : t.newProgram} wide>
      <Form {...rest} />
    </Dialog>
  )
}
