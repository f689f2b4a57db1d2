import type { Manufacturer } from "@edp/domain/manufacturers/Manufacturer"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { alertConfigurationQuery, alertGroupsQuery } from "../../resources/alerts.ts"
import { fleetQuery } from "../../resources/fleet.ts"
import { ManufacturersClient, manufacturersChanged, manufacturersQuery } from "../../resources/manufacturers.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { Card, Facts } from "../../kit/components.tsx"
import { Notifications } from "./Notifications.tsx"

const MINUTE = 60
const WEEK_MINUTES = 10_080

interface WindowFormProps {
  readonly manufacturer: Manufacturer
  readonly onClose: () => void
}

const WindowForm = ({ manufacturer: { name, onlineWindow, slug }, onClose }: WindowFormProps) => {
  const t = useMessages("notification")
  const toast = useToast()
  const call = useApi(ManufacturersClient)
  const [minutes, setMinutes] = useState(String(onlineWindow / MINUTE))
  const value = Number(minutes)
  const isValid = Number.isFinite(value) && value * MINUTE >= 1 && value <= WEEK_MINUTES
  const save = useAction(() =>
    call(
      (client) =>
        client.manufacturers.update({
          params: { slug },
          payload: { onlineWindow: Math.round(value * MINUTE) }
        }),
      manufacturersChanged
    )
  )
  const submit = async () => {
    if ((await save.run()) === undefined) return
    toast.done(t.windowChanged({ name }))
    onClose()
  }
  return (
    <DialogForm act={save} action={t.saveWindow} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.window}
        hint={t.windowHint}
        inputMode="decimal"
        value={minutes}
        onChange={setMinutes}
        problem={save.problem?.kind === "refused" ? save.problem.details["onlineWindow"] : undefined}
        invalid={isValid ? undefined : t.windowProblem}
        required
        autoFocus
      />
    </DialogForm>
  )
}

/** The time without a reading after which a device of each manufacturer that the workspace has is silent. */
const Windows = () => {
  const t = useMessages("notification")
  const language = useLanguage()
  const [changing, setChanging] = useState<Manufacturer>()
  return (
    <Loaded query={fleetQuery({})}>
      {(fleet) => (
        <Loaded query={manufacturersQuery}>
          {({ data }) => (
            <>
              <Table
                caption={t.windows}
                rows={data.filter(({ slug }) => fleet.manufacturers.some((each) => each.slug === slug))}
                id={({ slug }) => slug}
                empty={<p className="muted">{t.noManufacturers}</p>}
                columns={[
                  { id: "name", header: t.manufacturer, isName: true, cell: ({ name }) => name },
                  {
                    id: "window",
                    header: t.window,
                    align: "end",
                    cell: ({ onlineWindow }) => formatNumber(language, onlineWindow / MINUTE, 1)
                  },
                  {
                    id: "change",
                    header: "",
                    align: "end",
                    cell: (manufacturer) => (
                      <Button
                        small
                        tone="quiet"
                        aria-label={t.changeWindow({ name: manufacturer.name })}
                        onClick={() => setChanging(manufacturer)}
                      >
                        {t.change}
                      </Button>
                    )
                  }
                ]}
              />
              <Dialog
                open={changing !== undefined}
                onClose={() => setChanging(undefined)}
                title={changing === undefined ? "" : t.changeWindow({ name: changing.name })}
              >
                {changing && <WindowForm manufacturer={changing} onClose={() => setChanging(undefined)} />}
              </Dialog>
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

/** The display rules in a line each. */
const Listed = () => {
  const t = useMessages("alerts")
  const n = useMessages("notification")
  return (
    <Card
      title={n.listed}
      actions={
        <ButtonLink small to="/dashboard/alerts" search={{ tab: "visibility" }}>
          {n.change}
        </ButtonLink>
      }
    >
      <Loaded query={alertConfigurationQuery}>
        {({ minimumSeverity, sourceSystems, subtypes, types }) => {
          const rule = (given: { readonly mode: "SHOW" | "HIDE"; readonly values: ReadonlyArray<string> } | null) =>
            given === null
              ? t.modes.none
              : `${t.modes[given.mode]}: ${given.values.map((value) => (t.types as Readonly<Record<string, string>>)[value] ?? value).join(", ")}`
          return (
            <Facts
              items={[
                [t.minimumSeverity, minimumSeverity === null ? t.anySeverity : t.severities[minimumSeverity]],
                [t.typesRule, rule(types)],
                [t.subtypes, rule(subtypes)],
                [t.sources, rule(sourceSystems)]
              ]}
            />
          )
        }}
      </Loaded>
    </Card>
  )
}

/** The sources of alerts, the display rules, and the destinations that are notified. */
export const Rules = () => {
  const t = useMessages("notification")
  const language = useLanguage()
  return (
    <>
      <Card title={t.raised}>
        <div className="stack">
          <Loaded query={alertGroupsQuery}>
            {({ groups }) => {
              const count = (isOwn: boolean) =>
                formatNumber(
                  language,
                  groups
                    .filter(({ sourceSystem }) => (sourceSystem === "edp") === isOwn)
                    .reduce((sum, group) => sum + group.count, 0)
                )
              return (
                <>
                  <div>
                    <h3>{t.silence}</h3>
                    <p>
                      {t.silenceText} {t.present({ count: count(true) })}
                    </p>
                  </div>
                  <div>
                    <h3>{t.others}</h3>
                    <p>
                      {t.othersText} {t.present({ count: count(false) })}
                    </p>
                  </div>
                </>
              )
            }}
          </Loaded>
          <h3>{t.windows}</h3>
          <Windows />
        </div>
      </Card>
      <Listed />
      <Notifications />
    </>
  )
}
