import { type Instruction, localize } from "@edp/adapter-kit/ManufacturerAdapter"
import { Icon } from "@edp/dashboard/kit/Icon.tsx"
import { Card, Facts } from "@edp/dashboard/kit/components.tsx"
import { MarkedList } from "../kit/DeviceIcon.tsx"
import { Fields, ProblemSummary, summaryLines } from "../kit/fields.tsx"
import { Page } from "../kit/Page.tsx"
import { SendButton, StepForm, WayOn } from "../kit/StepForm.tsx"
import { webAddress } from "../scene/addresses.ts"
import { AnotherForm, adapterField, CancelForm, type ViewProps } from "./flowControls.tsx"
import type { FormFailure } from "./pageTypes.ts"
import type { FlowScene } from "./messages.ts"

const unique = (lines: ReadonlyArray<string>) => [...new Set(lines)]

export const ConsentPage = ({ scene, view }: ViewProps<"consent">) => {
  const { t, asker } = scene
  const { manufacturer, deviceTypes, commands, authorization, connected, reconnects } = view
  const isLocal = authorization !== "oauth2"
  const nots = isLocal
    ? Object.values(t.consent.notsOfLocal)
    : [t.consent.nots.password({ manufacturer }), t.consent.nots.account]
  const reads = unique([...deviceTypes.map((type) => t.reads[type]), t.readsAlways])
  return (
    <Page
      scene={scene}
      name="consent"
      heading={reconnects ? t.consent.titleAgain({ asker, manufacturer }) : t.consent.title({ asker, manufacturer })}
    >
      <p className="lead">
        {reconnects ? t.consent.leadAgain({ asker, manufacturer }) : t.consent.lead({ asker, manufacturer })}
      </p>
      {connected.length > 0 && (
        <>
          <h2>{t.consent.connected}</h2>
          <ul className="connected">
            {connected.map((name, index) => (
              <li key={index}>
                <Icon name="check" size={24} />
                <span>{name}</span>
              </li>
            ))}
          </ul>
          <p>{isLocal ? t.consent.anotherDevice : t.consent.anotherAccount({ manufacturer })}</p>
        </>
      )}
      <h2>{t.consent.reads({ asker })}</h2>
      <MarkedList lines={reads} icon="check" tone="yes" />
      <h2>{t.consent.commands({ asker })}</h2>
      {commands.length === 0 ? (
        <p>{t.consent.noCommands}</p>
      ) : (
        <MarkedList lines={unique(commands.map((slug) => t.commands[slug]))} icon="check" tone="yes" />
      )}
      <h2>{t.consent.not({ asker })}</h2>
      <MarkedList lines={nots} icon="cross" tone="no" />
      <h2>{t.consent.end}</h2>
      <p>{isLocal ? t.consent.endingsOfLocal({ asker }) : t.consent.endings({ asker, manufacturer })}</p>
      <StepForm scene={scene} step="consent" className="actions kept">
        <SendButton name="granted" value="yes">
          {t.consent.agree}
        </SendButton>
        <SendButton tone="plain" name="granted" value="no">
          {t.consent.decline}
        </SendButton>
      </StepForm>
      {view.canChooseAnother && (
        <div className="cancel">
          <AnotherForm scene={scene} tone="quiet" />
        </div>
      )}
    </Page>
  )
}

const formFailure = ({ t }: FlowScene, failure: FormFailure | null): string | null =>
  typeof failure === "string" ? t.form.failures[failure] : (failure?.says ?? null)

export const FormPage = ({ scene, view }: ViewProps<"form">) => {
  const { t } = scene
  const fields = view.fields.map((field) => adapterField(scene, field))
  const problems = summaryLines(t, fields, view.form)
  return (
    <Page
      scene={scene}
      name="form"
      heading={t.form.title({ manufacturer: view.manufacturer })}
      hasProblems={problems.length > 0 || view.failure !== null}
    >
      <p className="lead">{t.form.lead}</p>
      <ProblemSummary
        title={problems.length > 0 ? t.problemsTitle : t.form.failed}
        lines={problems}
        sentence={formFailure(scene, view.failure)}
      />
      <StepForm scene={scene} step="form">
        <Fields scene={scene} fields={fields} form={view.form} />
        <SendButton>{t.form.submit}</SendButton>
      </StepForm>
      <CancelForm scene={scene} />
    </Page>
  )
}

interface InstructionProps {
  readonly scene: FlowScene
  readonly instruction: Instruction
}

const InstructionLabel = ({ scene: { context }, instruction: { label } }: InstructionProps) => {
  const isTranslated = label[context.language] !== undefined
  return <span lang={isTranslated ? undefined : "en"}>{localize(label, context.language)}</span>
}

const InstructionValue = ({ scene: { t }, instruction: { value, secret } }: InstructionProps) => {
  const code = (
    <code data-copy={t.waiting.copy} data-copied={t.waiting.copied}>
      {value}
    </code>
  )
  if (!secret) return code
  return (
    <details>
      <summary>{t.waiting.show}</summary>
      {code}
    </details>
  )
}

interface InstructionsProps {
  readonly scene: FlowScene
  readonly instructions: ReadonlyArray<Instruction>
}

/** Steps in their order, the notes after them; values alone are a table. */
const Instructions = ({ scene, instructions }: InstructionsProps) => {
  const { t } = scene
  const notes = instructions.filter(({ isNote }) => isNote === true)
  const steps = instructions.filter(({ isNote }) => isNote !== true)
  const line = (instruction: Instruction) => <InstructionLabel {...{ scene, instruction }} />
  return (
    <>
      <h2>{t.waiting.settings}</h2>
      {steps.some(({ value }) => value === null) ? (
        <ol className="setup-steps">
          {steps.map((instruction, index) => (
            <li key={index}>
              {line(instruction)}
              {instruction.value !== null && (
                <div>
                  <InstructionValue {...{ scene, instruction }} />
                </div>
              )}
            </li>
          ))}
        </ol>
      ) : (
        <div className="settings">
          <Card>
            <Facts
              items={steps.map((instruction) => [
                localize(instruction.label, scene.context.language),
                <InstructionValue {...{ scene, instruction }} />
              ])}
            />
          </Card>
        </div>
      )}
      {notes.length > 0 && (
        <>
          <h2>{t.waiting.notes}</h2>
          <ul className="setup-notes">
            {notes.map((instruction, index) => (
              <li key={index}>{line(instruction)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Seconds after which the page refreshes itself where scripts do not run. Scripts ask more often, without a reload. */
const REFRESH_SECONDS = 10

export const WaitingPage = ({ scene, view }: ViewProps<"waiting">) => {
  const { t, request } = scene
  const { base, refreshes } = request
  const { manufacturer, instructions } = view
  const authorizationUrl = webAddress(view.authorizationUrl)
  const [heading, lead] =
    authorizationUrl !== null
      ? [t.waiting.title({ manufacturer }), t.waiting.lead({ manufacturer })]
      : instructions.length > 0
        ? [t.waiting.dialTitle, t.waiting.dialLead]
        : [t.waiting.plainTitle, t.waiting.plainLead]
  const refresh = (
    <noscript>
      <meta httpEquiv="refresh" content={String(REFRESH_SECONDS)} />
    </noscript>
  )
  return (
    <Page scene={scene} name="waiting" heading={heading} head={refreshes && refresh}>
      <p className="lead">{lead}</p>
      {instructions.length > 0 && <Instructions {...{ scene, instructions }} />}
      {authorizationUrl !== null && <WayOn href={authorizationUrl}>{t.waiting.goOn({ manufacturer })}</WayOn>}
      <p className="waiting" role="status">
        <span className="spinner" aria-hidden="true" />
        {t.waiting.status({ manufacturer })}
      </p>
      {base !== null && (
        <p className="checks">
          <a href={base}>{t.waiting.check}</a>
          {refreshes && (
            <noscript>
              {" · "}
              <a href={`${base}?check=manual`}>{t.waiting.stop}</a>
            </noscript>
          )}
        </p>
      )}
      <CancelForm scene={scene} />
    </Page>
  )
}
