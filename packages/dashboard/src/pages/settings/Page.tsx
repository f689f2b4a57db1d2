import { canonicalTimezone } from "@edp/domain/shared/Timezone"
import { distanceUnits, temperatureUnits } from "@edp/domain/workspaces/displayUnits"
import type { Workspace } from "@edp/domain/workspaces/Workspace"
import { useId, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom, workspaceIdAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { workspaceChanged, workspaceQuery, WorkspacesClient } from "../../resources/workspaces.ts"
import { Button } from "../../kit/Button.tsx"
import { CheckField, SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, PageHeader } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { useAtomSet, useAtomValue } from "../../state/atoms.ts"
import "./settings.css"
import { formFromWorkspace, type SettingsChoices, settingsChanges } from "./settingsForm.ts"

const timeZones = Intl.supportedValuesOf("timeZone")

const SettingsCards = ({ workspace }: { readonly workspace: Workspace }) => {
  const t = useMessages("settings")
  const toast = useToast()
  const zones = useId()
  const call = useApi(WorkspacesClient)
  const [form, bind] = useFields(formFromWorkspace(workspace))
  const { deletionProtection, temperatureUnit, distanceUnit } = workspace
  const [choices, setChoices] = useState<SettingsChoices>({ deletionProtection, temperatureUnit, distanceUnit })
  const choose = (chosen: Partial<SettingsChoices>) => setChoices((former) => ({ ...former, ...chosen }))
  const session = useAtomValue(sessionAtom)
  const setSession = useAtomSet(sessionAtom)
  const { id } = workspace
  const changes = settingsChanges(workspace, form, choices)
  const save = useAction(async () => {
    const { name, timezone, ...saved } = await call(
      (client) => client.workspaces.update({ params: { id }, payload: changes }),
      workspaceChanged(id)
    )
    toast.done(t.saved)
    // The head of the page names the workspace, forms have its time zone, and figures its units.
    const units = { temperatureUnit: saved.temperatureUnit, distanceUnit: saved.distanceUnit }
    if (session === undefined) return
    const workspaces = session.workspaces.map((each) => (each.id === id ? { ...each, name, timezone, ...units } : each))
    setSession({ ...session, workspaces })
  })
  const field = bind(save.problem)
  const isTimezone = canonicalTimezone(form.timezone.trim()) !== undefined
  const submit = () => (Object.keys(changes).length === 0 ? toast.done(t.unchanged) : save.run())
  return (
    <Form onSubmit={submit}>
      <Card title={t.general}>
        <div className="stack">
          <TextField label={t.name} hint={t.nameHint} {...field("name")} maxLength={100} required />
          <TextField
            label={t.timezone}
            hint={t.timezoneHint}
            {...field("timezone")}
            invalid={isTimezone ? undefined : t.noTimezone}
            list={zones}
            required
          />
          <datalist id={zones}>
            {timeZones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <div className="settings-units">
            <SelectField
              label={t.temperatureUnit}
              hint={t.unitsHint}
              value={choices.temperatureUnit}
              options={temperatureUnits.map((value) => ({ value, label: t.temperatureUnits[value] }))}
              onChange={(value) => choose({ temperatureUnit: value })}
            />
            <SelectField
              label={t.distanceUnit}
              hint={t.unitsHint}
              value={choices.distanceUnit}
              options={distanceUnits.map((value) => ({ value, label: t.distanceUnits[value] }))}
              onChange={(value) => choose({ distanceUnit: value })}
            />
          </div>
          <CheckField
            label={t.protection}
            checked={choices.deletionProtection}
            onChange={(value) => choose({ deletionProtection: value })}
          />
        </div>
      </Card>
      <Card title={t.hosted}>
        <div className="stack">
          <p className="muted">{t.hostedLead}</p>
          <TextField label={t.logoUrl} hint={t.logoHint} {...field("logoUrl")} type="url" maxLength={2000} />
          <TextField label={t.accentColor} hint={t.accentHint} {...field("accentColor")} maxLength={7} />
          <TextField
            label={t.contactEmail}
            hint={t.contactHint}
            {...field("contactEmail")}
            type="email"
            maxLength={254}
          />
          <TextField label={t.contactPhone} {...field("contactPhone")} type="tel" maxLength={30} />
          <TextField
            label={t.contactUrl}
            hint={t.contactUrlHint}
            {...field("contactUrl")}
            type="url"
            maxLength={2000}
          />
          <TextAreaField label={t.redirects} hint={t.redirectsHint} {...field("connectRedirects")} spellCheck={false} />
        </div>
      </Card>
      {save.problem && <ProblemNotice problem={save.problem} />}
      <div>
        <Button tone="main" type="submit" busy={save.busy}>
          {t.save}
        </Button>
      </div>
    </Form>
  )
}

export const Page = () => {
  const t = useMessages("settings")
  const workspaceId = useAtomValue(workspaceIdAtom)
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      {workspaceId !== null && (
        <Loaded query={workspaceQuery(workspaceId)}>
          {(workspace) => <SettingsCards key={workspace.id} workspace={workspace} />}
        </Loaded>
      )}
    </>
  )
}
