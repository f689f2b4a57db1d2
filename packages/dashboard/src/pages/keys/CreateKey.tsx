import type { ApiKeyCreated, CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, openAdrKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom, workspaceIdAtom } from "../../api/session.ts"
import { periodFromDay } from "../../i18n/period.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { apiKeysChanged, ApiKeysClient } from "../../resources/apiKeys.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { DateTimeField } from "../../kit/DateTimeField.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { nowMillis } from "../../state/now.ts"
import { NewKey } from "./NewKey.tsx"
import { noScope, type ChosenScope, ScopeFields, scopeField } from "./ScopeFields.tsx"

type Type = CreateApiKey["type"]

/** The deprecated type is left out. */
const types: ReadonlyArray<Type> = ["SERVER", "CONNECT", "MANUFACTURER", "MANAGEMENT", "OPENADR_VEN", "OPENADR_BL"]
const isClient = (type: ApiKeyType) => openAdrKeyTypes.some((each) => each === type)

const classes = ["read", "write", "bulk"] as const
const MOST = 1_000_000

type Fields = Readonly<Record<"name" | "ownerId" | "manufacturers" | "expiresAt" | (typeof classes)[number], string>>

const empty: Fields = { name: "", ownerId: "", manufacturers: "", expiresAt: "", read: "", write: "", bulk: "" }

const slugsIn = (text: string) => text.split(/[\s,]+/u).filter((slug) => slug !== "")

const isLimit = (text: string) => {
  const value = Number(text)
  return text === "" || (Number.isSafeInteger(value) && value >= 1 && value <= MOST)
}

/** The end of a day such as `2026-03-01`, in milliseconds since 1970; undefined without a day. */
const endOfDay = (day: string, timeZone: string) => {
  const period = periodFromDay(day, "day", timeZone)
  return period && period.to - 1
}

const toPayload = (
  type: Type,
  workspaceId: string,
  fields: Fields,
  scope: ChosenScope,
  timeZone: string
): CreateApiKey => {
  const end = endOfDay(fields.expiresAt, timeZone)
  const limits = classes.filter((each) => fields[each] !== "").map((each) => [each, Number(fields[each])])
  return {
    name: fields.name.trim(),
    type,
    workspaceId,
    ...(type === "MANAGEMENT" && { ownerId: fields.ownerId.trim() }),
    ...(type === "MANUFACTURER" && { manufacturerScope: slugsIn(fields.manufacturers) }),
    ...(type === "OPENADR_VEN" && scopeField(scope)),
    ...(end !== undefined && { expiresAt: new Date(end).toISOString() }),
    ...(limits.length > 0 && { rateLimits: Object.fromEntries(limits) })
  }
}

/** The fields that can't be sent as they are, each with the reason. */
const useProblems = (fields: Fields, timeZone: string) => {
  const t = useMessages("keys")
  const problems: Partial<Record<keyof Fields, string>> = {}
  const end = endOfDay(fields.expiresAt, timeZone)
  if (end !== undefined && end <= nowMillis()) problems.expiresAt = t.future
  for (const each of classes) if (!isLimit(fields[each])) problems[each] = t.wholeNumber
  return problems
}

interface CreateKeyProps {
  /** The type that a link asks for. */
  readonly asked: ApiKeyType | undefined
  readonly onClose: () => void
}

export const CreateKey = ({ asked, onClose }: CreateKeyProps) => {
  const t = useMessages("keys")
  const call = useApi(ApiKeysClient)
  const workspaces = useAtomValue(sessionAtom)?.workspaces ?? []
  const chosen = useAtomValue(workspaceIdAtom)
  const [type, setType] = useState<Type>(types.find((each) => each === asked) ?? "SERVER")
  const [workspaceId, setWorkspaceId] = useState(chosen ?? workspaces[0]?.id ?? "")
  const timeZone = workspaces.find(({ id }) => id === workspaceId)?.timezone ?? "UTC"
  const [fields, setFields] = useState(empty)
  const [scope, setScope] = useState(noScope)
  const [made, setMade] = useState<ApiKeyCreated>()
  const problems = useProblems(fields, timeZone)
  const create = useAction(async () => {
    const payload = toPayload(type, workspaceId, fields, scope, timeZone)
    setMade(await call((client) => client.apiKeys.create({ payload }), apiKeysChanged))
  })
  const field = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (value: string) => setFields((former) => ({ ...former, [name]: value })),
    invalid: problems[name]
  })

  if (made !== undefined) {
    return (
      <Dialog
        open
        required
        onClose={onClose}
        title={t.secretTitle}
        actions={
          <Button tone="main" onClick={onClose}>
            {t.stored}
          </Button>
        }
      >
        <NewKey value={made.key} lead={t.secretLead} {...(isClient(made.type) && { clientId: made.id })} />
      </Dialog>
    )
  }
  return (
    <Dialog open onClose={onClose} title={t.create} wide>
      <DialogForm act={create} action={t.create} onSubmit={() => create.run()} onCancel={onClose}>
        <TextField label={t.name} hint={t.nameHint} {...field("name")} maxLength={255} required autoFocus />
        <SelectField
          label={t.type}
          hint={t.typeHints[type]}
          value={type}
          options={types.map((value) => ({ value, label: t.types[value] }))}
          onChange={setType}
        />
        <SelectField
          label={t.workspace}
          value={workspaceId}
          options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => {
            setWorkspaceId(id)
            setScope(noScope)
          }}
        />
        {type === "MANAGEMENT" && (
          <TextField label={t.owner} hint={t.ownerHint} {...field("ownerId")} maxLength={255} required />
        )}
        {type === "MANUFACTURER" && (
          <TextField
            label={t.manufacturers}
            hint={t.manufacturersHint}
            {...field("manufacturers")}
            required
            spellCheck={false}
          />
        )}
        {type === "OPENADR_VEN" &&
          (workspaceId === chosen ? (
            <ScopeFields scope={scope} onChange={setScope} />
          ) : (
            <p className="hint">{t.scopeElsewhere}</p>
          ))}
        <DateTimeField kind="date" timeZone={timeZone} label={t.expires} hint={t.expiresHint} {...field("expiresAt")} />
        <fieldset className="keys-limits">
          <legend>{t.limits}</legend>
          <p className="hint">{t.limitsHint}</p>
          <div className="keys-classes">
            {classes.map((each) => (
              <TextField key={each} label={t.classes[each]} inputMode="numeric" {...field(each)} />
            ))}
          </div>
        </fieldset>
      </DialogForm>
    </Dialog>
  )
}
