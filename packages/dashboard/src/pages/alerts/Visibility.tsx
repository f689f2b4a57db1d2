import { alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import type { AlertConfiguration, AlertGroups, AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import {
  alertConfigurationChanged,
  alertConfigurationQuery,
  alertGroupsQuery,
  AlertsClient
} from "../../resources/alerts.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { previewRules, type RuleName } from "./preview.ts"
import { isIncomplete, type Rule, RuleField } from "./RuleField.tsx"

interface FormProps {
  readonly saved: AlertConfiguration
  readonly groups: AlertGroups
}

const rulesIn = ({ minimumSeverity, sourceSystems, subtypes, types }: AlertConfiguration): AlertRules => ({
  minimumSeverity,
  types,
  subtypes,
  sourceSystems
})

const RulesForm = ({ saved, groups }: FormProps) => {
  const t = useMessages("alerts")
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(AlertsClient)
  const [rules, setRules] = useState(rulesIn(saved))
  const [isClearing, setClearing] = useState(false)
  const count = (value: number) => formatNumber(language, value)
  // A rule without values is not a rule yet.
  const complete = (rule: Rule) => (isIncomplete(rule) ? null : rule)
  const preview = previewRules(
    {
      ...rules,
      types: complete(rules.types) as AlertRules["types"],
      subtypes: complete(rules.subtypes) as AlertRules["subtypes"],
      sourceSystems: complete(rules.sourceSystems)
    },
    groups
  )
  const note = (name: RuleName) =>
    rules[name] === null || (name !== "minimumSeverity" && isIncomplete(rules[name]))
      ? undefined
      : t.hides({ hidden: count(preview.hidden[name]), total: preview.total })
  const change = (changed: Partial<AlertRules>) => setRules((former) => ({ ...former, ...changed }))
  const { busy, problem, run } = useAction(async () => {
    await call((client) => client.alertConfiguration.save({ query: {}, payload: rules }), alertConfigurationChanged)
    toast.done(t.saved)
    return true
  })
  const isChanged = JSON.stringify(rules) !== JSON.stringify(rulesIn(saved))
  const sources = [
    ...new Set([...groups.groups.map((group) => group.sourceSystem), ...(rules.sourceSystems?.values ?? [])])
  ]
  return (
    <Form onSubmit={run}>
      <p className="muted">
        {saved.savedAt === null ? (
          t.neverSaved
        ) : (
          <>
            {t.savedBy({ who: saved.savedBy ?? "" })} <Age time={saved.savedAt} />
          </>
        )}
      </p>
      <SelectField
        label={t.minimumSeverity}
        hint={note("minimumSeverity") ?? t.minimumHint}
        value={rules.minimumSeverity ?? ""}
        options={[
          { value: "", label: t.anySeverity },
          ...AlertSeverity.literals.map((value) => ({ value, label: t.severities[value] }))
        ]}
        onChange={(value) => change({ minimumSeverity: value === "" ? null : value })}
      />
      <RuleField
        name={t.typesRule}
        rule={rules.types}
        options={alertTypes.map((value) => ({ value, label: t.types[value] }))}
        note={note("types")}
        onChange={(rule) => change({ types: rule as AlertRules["types"] })}
      />
      <RuleField
        name={t.subtypes}
        rule={rules.subtypes}
        options={alertSubtypes.map((value) => ({ value, label: value }))}
        note={note("subtypes")}
        extra={rules.subtypes?.mode === "SHOW" ? t.showsNoSubtype : undefined}
        onChange={(rule) => change({ subtypes: rule as AlertRules["subtypes"] })}
      />
      <RuleField
        name={t.sources}
        rule={rules.sourceSystems}
        options={sources.toSorted().map((value) => ({ value, label: value }))}
        note={note("sourceSystems")}
        takesMore
        onChange={(sourceSystems) => change({ sourceSystems })}
      />
      <Notice state="info" title={t.result({ shown: count(preview.shown), total: preview.total })}>
        {t.present}
      </Notice>
      {problem && <ProblemNotice problem={problem} />}
      <div className="actions">
        <Button tone="main" type="submit" busy={busy} disabled={!isChanged}>
          {t.save}
        </Button>
        <Button disabled={!isChanged} onClick={() => setRules(rulesIn(saved))}>
          {t.reset}
        </Button>
        {saved.savedAt !== null && (
          <Button tone="danger" onClick={() => setClearing(true)}>
            {t.clear}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={isClearing}
        onClose={() => setClearing(false)}
        title={t.clearTitle}
        action={t.clear}
        act={async () => {
          await call((client) => client.alertConfiguration.clear({ query: {} }), alertConfigurationChanged)
          toast.done(t.cleared)
        }}
      >
        {t.clearText}
      </ConfirmDialog>
    </Form>
  )
}

/** The rules for which alerts lists show, with what they would hide at present. */
export const Visibility = () => {
  const t = useMessages("alerts")
  return (
    <Card>
      <div className="stack">
        <p>{t.visibilityLead}</p>
        <Loaded query={alertConfigurationQuery}>
          {(saved) => (
            // Saved rules begin a new form; input is kept while alerts come in.
            <Loaded query={alertGroupsQuery}>
              {(groups) => <RulesForm key={saved.savedAt} saved={saved} groups={groups} />}
            </Loaded>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
