import { type GridProgram, RULES_LIMIT } from "@edp/domain/grid/GridProgram"
import { controlTypes, signalTypes } from "@edp/domain/openadr/payloadTypes"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { Link } from "@tanstack/react-router"
import { useId, useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { gridConnectionChanged, GridClient } from "../../../resources/grid.ts"
import { allInstancesQuery } from "../../../resources/programs.ts"
import { Button } from "../../../kit/Button.tsx"
import { Dialog } from "../../../kit/Dialog.tsx"
import { DialogForm } from "../../../kit/DialogForm.tsx"
import { SelectField } from "../../../kit/Field.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Notice } from "../../../kit/components.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { useAction } from "../../../kit/useAction.ts"
import { RuleFields } from "./RuleFields.tsx"
import { newRule, type RuleForm, rulesForm, toRules } from "./ruleForm.ts"

interface FormProps {
  readonly program: GridProgram
  readonly instances: ReadonlyArray<ProgramInstance>
  readonly onClose: () => void
}

const Form = ({ program, instances, onClose }: FormProps) => {
  const t = useMessages("grid")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(GridClient)
  const known = useId()
  const [instance, setInstance] = useState(program.programInstanceId ?? "")
  const [rules, setRules] = useState<ReadonlyArray<RuleForm>>(() => rulesForm(program.rules))
  const save = useAction(() =>
    call(
      ({ grid }) =>
        grid.updateProgram({
          params: { id: program.id },
          payload: { programInstanceId: instance === "" ? null : instance, rules: toRules(rules) }
        }),
      gridConnectionChanged(program.connectionId)
    )
  )
  const submit = async () => {
    if ((await save.run()) === undefined) return
    toast.done(t.rulesSaved)
    onClose()
  }
  const add = () => {
    const key = Math.max(-1, ...rules.map((rule) => rule.key)) + 1
    setRules([...rules, newRule(key, rules.at(-1)?.payloadType ?? program.payloadTypes[0] ?? "SIMPLE")])
  }
  // A rule that was moved or removed has another path than the one that was refused.
  const change = (next: ReadonlyArray<RuleForm>) => {
    save.forget()
    setRules(next)
  }
  const isKnown = instance === "" || instances.some(({ id }) => id === instance)
  return (
    <DialogForm act={save} action={kit.save} onSubmit={submit} onCancel={onClose}>
      {instances.length === 0 && (
        <Notice state="info">
          {t.noInstances} <Link to="/dashboard/programs">{t.toInstances}</Link>
        </Notice>
      )}
      <SelectField
        label={t.instance}
        hint={t.instanceHint}
        value={instance}
        problem={save.problem?.kind === "refused" ? save.problem.details["programInstanceId"] : undefined}
        options={[
          { value: "", label: t.noInstance },
          ...(isKnown ? [] : [{ value: instance, label: t.instance }]),
          ...instances.map(({ id, title }) => ({ value: id, label: title }))
        ]}
        onChange={setInstance}
      />
      <p className="muted">{t.rulesHint}</p>
      <datalist id={known}>
        {[...new Set([...program.payloadTypes, ...controlTypes, ...signalTypes])].map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {rules.map((rule, index) => (
        <RuleFields
          key={rule.key}
          rule={rule}
          index={index}
          types={known}
          problem={save.problem}
          onChange={(changed) => setRules(rules.with(index, changed))}
          onRemove={() => change(rules.toSpliced(index, 1))}
          onRaise={index === 0 ? undefined : () => change(rules.with(index - 1, rule).with(index, rules[index - 1]!))}
        />
      ))}
      {rules.length < RULES_LIMIT && (
        <div>
          <Button small icon="plus" onClick={add}>
            {t.addRule}
          </Button>
        </div>
      )}
    </DialogForm>
  )
}

interface ProgramDialogProps {
  readonly program: GridProgram | undefined
  readonly onClose: () => void
}

/** Chooses whose devices follow a program of a VTN, and what its events mean for them. */
export const ProgramDialog = ({ program, onClose }: ProgramDialogProps) => (
  <Dialog open={program !== undefined} onClose={onClose} title={program?.name ?? ""} wide>
    {program && (
      <Loaded query={allInstancesQuery}>
        {({ data, totalItems }) => (
          <>
            <Form key={program.id} program={program} instances={data} onClose={onClose} />
            <ListedOf shown={data.length} total={totalItems} />
          </>
        )}
      </Loaded>
    )}
  </Dialog>
)
