import type { CreateBatchCommand } from "@edp/domain/commands/BatchCommand"
import { type CommandSlug, commandSlugs } from "@edp/domain/devices/DeviceType"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { workspaceAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { BatchesClient, batchesChanged } from "../../resources/batches.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { DialogForm } from "../DialogForm.tsx"
import { SelectField, TextField } from "../Field.tsx"
import { useToast } from "../Toasts.tsx"
import { useAction } from "../useAction.ts"
import { CommandFields, commandTiming, noTiming, TimingFields } from "./CommandForm.tsx"
import { formInput, type FormValues, typedNumber } from "./commandForm.ts"
import { commandOfSlug } from "./inputSchemas.ts"

/** Commands a minute that a batch may be limited to. */
const MOST_PER_MINUTE = 100_000

type Target = Pick<CreateBatchCommand, "deviceIds" | "collectionId">

interface BatchFormProps {
  /** Reads which devices get the command, when it is sent. */
  readonly target: () => Promise<Target>
  /** Types that the devices are known to have. */
  readonly deviceTypes?: ReadonlyArray<string> | undefined
  readonly onClose: () => void
}

/** Sends a command to many devices, and leads to the page that follows them. */
export const BatchForm = ({ target, deviceTypes, onClose }: BatchFormProps) => {
  const t = useMessages("batch")
  const { command: label, issue, names } = useMessages("deviceCommands")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(BatchesClient)
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  const typePart = (slug: CommandSlug) => slug.slice(0, slug.indexOf(":")) as keyof typeof t.types
  const offered = commandSlugs.filter((slug) => deviceTypes?.includes(typePart(slug)) ?? true)
  const slugs = offered.length === 0 ? commandSlugs : offered
  const [slug, setSlug] = useState<CommandSlug>(slugs[0]!)
  const [values, setValues] = useState<FormValues>({})
  const [timing, setTiming] = useState(noTiming)
  const [pace, setPace] = useState("")
  const command = commandOfSlug(slug)
  const { timing: times } = commandTiming(command, values, timing, timeZone)
  const perMinute = typedNumber(pace)
  const isPace = pace.trim() === "" || (Number.isInteger(perMinute) && perMinute! >= 1 && perMinute! <= MOST_PER_MINUTE)
  const send = useAction(async () => {
    const payload = {
      ...(await target()),
      type: slug,
      input: formInput(command, values).input,
      ...times,
      ...(perMinute !== undefined && { maxPerMinute: perMinute })
    }
    return call((client) => client.batchCommands.create({ payload: payload as CreateBatchCommand }), batchesChanged)
  })
  const submit = async () => {
    const batch = await send.run()
    if (batch === undefined) return
    toast.done(t.sent)
    onClose()
    void navigate({ to: "/dashboard/commands", search: { batch: batch.id } })
  }
  return (
    <DialogForm act={send} action={issue} onSubmit={submit} onCancel={onClose}>
      <p className="muted">{t.lead}</p>
      <SelectField
        label={label}
        value={slug}
        options={slugs.map((value) => ({ value, label: `${t.types[typePart(value)]}: ${names[value]}` }))}
        onChange={(next) => {
          setSlug(next)
          setValues({})
        }}
      />
      <CommandFields command={command} values={values} onChange={setValues} problem={send.problem} path="input">
        <TimingFields {...{ command, values, timing, timeZone }} onChange={setTiming} problem={send.problem} />
        <TextField
          label={t.pace}
          hint={t.paceHint}
          inputMode="numeric"
          value={pace}
          onChange={setPace}
          problem={send.problem?.kind === "refused" ? send.problem.details["maxPerMinute"] : undefined}
          invalid={isPace ? undefined : t.paceProblem}
        />
      </CommandFields>
    </DialogForm>
  )
}
