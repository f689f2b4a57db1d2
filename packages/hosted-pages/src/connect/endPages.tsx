import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { DeviceIcon } from "../kit/DeviceIcon.tsx"
import { addressFields, Fields, ProblemSummary, summaryLines } from "../kit/fields.tsx"
import { Page } from "../kit/Page.tsx"
import { SendButton, StepForm, WayOn } from "../kit/StepForm.tsx"
import { linkable } from "../scene/addresses.ts"
import { CancelForm, type ViewProps } from "./flowControls.tsx"
import type { ShownDevice } from "./pageTypes.ts"
import { write } from "../scene/messages.ts"
import type { FlowScene } from "./messages.ts"

interface DeviceChoiceProps {
  readonly scene: FlowScene
  readonly device: ShownDevice
  readonly id: string
}

const DeviceChoice = ({ scene: { t }, device, id }: DeviceChoiceProps) => {
  const { manufacturerDeviceId, type, name, model, serialNumber, incompatible, isTaken, selected } = device
  const isOff = incompatible !== null || isTaken
  const more = [t.deviceTypes[type], model, serialNumber !== null && t.system.serialNumber({ number: serialNumber })]
  return (
    <li className={isOff ? "device off" : "device"}>
      <input
        id={id}
        type="checkbox"
        name="device"
        value={manufacturerDeviceId}
        defaultChecked={selected && !isOff}
        disabled={isOff}
        aria-describedby={`${id}-more`}
      />
      <label htmlFor={id}>
        <DeviceIcon type={type} />
        <span>{name}</span>
      </label>
      <p id={`${id}-more`}>
        {more.filter((each) => each !== false && each !== "").join(" · ")}
        {incompatible !== null && <strong>{`${t.system.incompatible} ${incompatible}`}</strong>}
        {incompatible === null && isTaken && <strong>{t.system.taken}</strong>}
      </p>
    </li>
  )
}

export const SystemPage = ({ scene, view }: ViewProps<"system">) => {
  const { t } = scene
  const { devices, address, problem } = view
  const fields = addressFields(t)
  const firstDevice = devices.findIndex(({ incompatible, isTaken }) => incompatible === null && !isTaken)
  const deviceProblem = problem === null ? null : t.problems[problem]({ label: t.system.devices })
  const problems = [
    ...(deviceProblem === null ? [] : [{ target: `device-${Math.max(firstDevice, 0)}`, text: deviceProblem }]),
    ...(address === null ? [] : summaryLines(t, fields, address))
  ]
  return (
    <Page scene={scene} name="system" heading={t.system.title} hasProblems={problems.length > 0}>
      <p className="lead">{t.system.lead({ manufacturer: view.manufacturer })}</p>
      <ProblemSummary title={t.problemsTitle} lines={problems} />
      <StepForm scene={scene} step="devices">
        <fieldset>
          <legend>{t.system.devices}</legend>
          {deviceProblem !== null && <p className="field-problem">{deviceProblem}</p>}
          <ul className="devices">
            {devices.map((device, index) => (
              <DeviceChoice key={index} scene={scene} device={device} id={`device-${index}`} />
            ))}
          </ul>
        </fieldset>
        {address !== null && <Fields scene={scene} fields={fields} form={address} legend={t.address.legend} />}
        <SendButton>{t.system.submit}</SendButton>
      </StepForm>
      <CancelForm scene={scene} />
    </Page>
  )
}

interface TodoProps {
  readonly scene: FlowScene
  readonly shown: Intervention & { readonly deviceName: string }
}

/** An adapter's own steps are in English; the other languages have a general one for each code. */
const Todo = ({ scene: { t, context }, shown }: TodoProps) => {
  const { code, blocks, actor, deviceName } = shown
  const isOwnText = context.language === "en"
  const steps = isOwnText && shown.steps.length > 0 ? shown.steps : [t.interventions[code].step]
  const blocked = new Set(blocks.map((each) => (each === "telemetry" ? t.telemetry : t.commands[each])))
  return (
    <li className="todo">
      <h3>{`${deviceName}: ${isOwnText ? shown.title : t.interventions[code].title}`}</h3>
      <p className="actor">{t.actors[actor]}</p>
      {steps.length === 1 ? (
        <p>{steps[0]}</p>
      ) : (
        <ol>
          {steps.map((step, index) => (
            <li key={index}>{step}</li>
          ))}
        </ol>
      )}
      {blocked.size > 0 && <p className="blocks">{`${t.done.blocks} ${[...blocked].join("; ")}`}</p>}
    </li>
  )
}

export const DonePage = ({ scene, view }: ViewProps<"done">) => {
  const { t, asker } = scene
  const { devices, interventions } = view
  return (
    <Page scene={scene} name="done" heading={t.done.title} emblem={{ icon: "check", tone: "good" }}>
      <p className="lead">{t.done.lead({ asker, count: devices.length })}</p>
      <h2>{t.done.devices}</h2>
      <ul className="connected">
        {devices.map(({ name, type }, index) => (
          <li key={index}>
            <DeviceIcon type={type} />
            <span>{name}</span>
            <span className="more">{t.deviceTypes[type]}</span>
          </li>
        ))}
      </ul>
      {interventions.length > 0 && (
        <>
          <h2>{t.done.interventions}</h2>
          <p>{t.done.interventionsLead}</p>
          <ul className="todos">
            {interventions.map((each, index) => (
              <Todo key={index} scene={scene} shown={each} />
            ))}
          </ul>
        </>
      )}
      {view.canReturn ? (
        <StepForm scene={scene} step="leave">
          <SendButton>{t.done.returnTo({ asker })}</SendButton>
        </StepForm>
      ) : (
        <p className="closing">{t.done.close}</p>
      )}
    </Page>
  )
}

export const ReturnedPage = ({ scene, view }: ViewProps<"returned">) => {
  const { t } = scene
  return (
    <Page scene={scene} name="returned" heading={t.returned.title}>
      <p className="lead">{t.returned.lead({ manufacturer: view.manufacturer })}</p>
      {view.continueUrl === null ? (
        <p className="closing">{t.done.close}</p>
      ) : (
        <WayOn href={view.continueUrl}>{t.returned.goOn}</WayOn>
      )}
    </Page>
  )
}

/** Errors after which another attempt may succeed. The others end the matter, or say themselves what to do. */
const repeatable: ReadonlyArray<ConnectError> = [
  "access_denied",
  "no_devices",
  "account_mismatch",
  "consent_refused",
  "manufacturer_unavailable",
  "server_error"
]

export const ErrorPage = ({ scene, view }: ViewProps<"error">) => {
  const { t, asker } = scene
  const { canRetry, error } = view
  const manufacturer = view.manufacturer ?? t.unknownManufacturer
  const { title, happened, wayOn } = t.errors[error]
  const url = linkable(view.returnUrl)
  const sentences = [
    write(wayOn, { asker, manufacturer }),
    ...(!canRetry && repeatable.includes(error) ? [t.error.newLink({ asker })] : [])
  ]
  const emblem =
    error === "duplicate_connection"
      ? ({ icon: "check", tone: "good" } as const)
      : ({ icon: "warning", tone: "bad" } as const)
  return (
    <Page scene={scene} name="error" heading={title} emblem={emblem}>
      <p className="lead">{write(happened, { asker, manufacturer })}</p>
      <p>{sentences.join(" ")}</p>
      <div className="actions">
        {canRetry && (
          <StepForm scene={scene} step="retry">
            <SendButton>{t.error.retry}</SendButton>
          </StepForm>
        )}
        {url !== null && (
          <WayOn href={url} tone={canRetry ? "plain" : "main"}>
            {t.error.returnTo({ asker })}
          </WayOn>
        )}
        {!canRetry && url === null && <p className="closing">{t.done.close}</p>}
      </div>
    </Page>
  )
}

export const UnknownPage = ({ scene }: { readonly scene: FlowScene }) => {
  const { unknown } = scene.t
  return (
    <Page scene={scene} name="unknown" heading={unknown.title} emblem={{ icon: "broken", tone: "bad" }}>
      <p className="lead">{unknown.happened}</p>
      <p>{unknown.wayOn}</p>
    </Page>
  )
}
