// `npx -y pnpm@12 messages` writes this file from messages/en.json.

/** A text or a number that is inserted. */
type Text = string | number

/** A value that decides between the forms of a message. */
type Choice = Text | null

export interface Messages {
  common: {
    unknownAsker: string
    documentTitle: (values: { asker: Choice; heading: Text }) => string
    errorTitlePrefix: string
    progress: (values: { step: Text; of: Text }) => string
    optional: string
    language: string
    questions: string
    continue: string
    problemsTitle: string
    choose: string
    person: {
      legend: string
      fields: {
        firstName: string
        lastName: string
        email: string
        phone: string
      }
    }
    address: {
      legend: string
      fields: {
        streetOne: string
        streetTwo: string
        city: string
        state: string
        postalCode: string
        country: string
      }
    }
    leaving: {
      title: string
      lead: (values: { host: Text }) => string
      goOn: string
      check: string
    }
    refusedForm: {
      title: string
      happened: string
      wayOn: string
      goOn: string
    }
    failure: {
      title: string
      happened: string
      wayOn: (values: { asker: Text }) => string
      retry: string
    }
    problems: {
      required: (values: { label: Text }) => string
      too_long: (values: { label: Text }) => string
      invalid_email: (values: { label: Text }) => string
      invalid_phone: (values: { label: Text }) => string
      invalid_address: (values: { label: Text }) => string
      invalid_choice: (values: { label: Text }) => string
      invalid_number: (values: { label: Text }) => string
      invalid_host: (values: { label: Text }) => string
      select_one: (values: { label: Text }) => string
    }
    deviceTypes: {
      battery: string
      charger: string
      inverter: string
      meter: string
      thermostat: string
      vehicle: string
      water_heater: string
      other: string
      unknown: string
    }
    interventions: {
      key_not_paired: {
        title: string
        step: string
      }
      scope_missing: {
        title: string
        step: string
      }
      plan_required: {
        title: string
        step: string
      }
      terms_not_accepted: {
        title: string
        step: string
      }
      storm_mode: {
        title: string
        step: string
      }
      local_access_disabled: {
        title: string
        step: string
      }
      sign_in_again: {
        title: string
        step: string
      }
    }
    actors: {
      owner: string
      installer: string
      operator: string
      manufacturer: string
    }
  }
  connect: {
    unknownManufacturer: string
    cancel: string
    customer: {
      title: string
      lead: (values: { asker: Text }) => string
    }
    manufacturers: {
      title: string
      lead: string
      search: string
      searchButton: string
      filter: string
      allTypes: string
      list: string
      notYet: string
      found: (values: { count: number }) => string
      none: string
      noMatch: (values: { search: Text }) => string
      showAll: string
    }
    unsupported: {
      title: (values: { manufacturer: Text }) => string
      lead: (values: { manufacturer: Text }) => string
      another: string
    }
    consent: {
      title: (values: { manufacturer: Text; asker: Text }) => string
      lead: (values: { asker: Text; manufacturer: Text }) => string
      titleAgain: (values: { manufacturer: Text; asker: Text }) => string
      leadAgain: (values: { asker: Text; manufacturer: Text }) => string
      connected: string
      anotherAccount: (values: { manufacturer: Text }) => string
      anotherDevice: string
      reads: (values: { asker: Text }) => string
      commands: (values: { asker: Text }) => string
      noCommands: string
      not: (values: { asker: Text }) => string
      nots: {
        password: (values: { manufacturer: Text }) => string
        account: string
      }
      notsOfLocal: {
        network: string
        internet: string
      }
      end: string
      endings: (values: { asker: Text; manufacturer: Text }) => string
      endingsOfLocal: (values: { asker: Text }) => string
      agree: string
      decline: string
    }
    form: {
      title: (values: { manufacturer: Text }) => string
      lead: string
      failed: string
      submit: string
      failures: {
        unreached: string
        link_spent: string
        too_many: string
      }
    }
    waiting: {
      title: (values: { manufacturer: Text }) => string
      lead: (values: { manufacturer: Text }) => string
      goOn: (values: { manufacturer: Text }) => string
      dialTitle: string
      dialLead: string
      plainTitle: string
      plainLead: string
      settings: string
      notes: string
      show: string
      copy: string
      copied: string
      status: (values: { manufacturer: Text }) => string
      check: string
      stop: string
    }
    system: {
      title: string
      lead: (values: { manufacturer: Text }) => string
      devices: string
      serialNumber: (values: { number: Text }) => string
      incompatible: string
      taken: string
      submit: string
    }
    done: {
      title: string
      lead: (values: { count: number; asker: Text }) => string
      devices: string
      interventions: string
      interventionsLead: string
      blocks: string
      returnTo: (values: { asker: Text }) => string
      close: string
    }
    returned: {
      title: string
      lead: (values: { manufacturer: Text }) => string
      goOn: string
    }
    error: {
      retry: string
      newLink: (values: { asker: Text }) => string
      returnTo: (values: { asker: Text }) => string
    }
    unknown: {
      title: string
      happened: string
      wayOn: string
    }
    errors: {
      access_denied: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: string
      }
      expired: {
        title: string
        happened: string
        wayOn: (values: { asker: Text }) => string
      }
      unsupported_manufacturer: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: (values: { asker: Text }) => string
      }
      duplicate_connection: {
        title: string
        happened: (values: { manufacturer: Text; asker: Text }) => string
        wayOn: (values: { asker: Text }) => string
      }
      no_devices: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: (values: { manufacturer: Text }) => string
      }
      device_incompatible: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: (values: { asker: Text }) => string
      }
      account_mismatch: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: string
      }
      consent_refused: {
        title: string
        happened: string
        wayOn: string
      }
      manufacturer_unavailable: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: string
      }
      configuration_error: {
        title: string
        happened: (values: { manufacturer: Text }) => string
        wayOn: (values: { asker: Text }) => string
      }
      server_error: {
        title: string
        happened: string
        wayOn: (values: { asker: Text }) => string
      }
    }
    reads: {
      battery: string
      charger: string
      inverter: string
      meter: string
      thermostat: string
      vehicle: string
      water_heater: string
      other: string
      unknown: string
    }
    readsAlways: string
    commands: {
      "battery:set-reserve": string
      "battery:set-operating-mode": string
      "charger:set-operating-mode": string
      "thermostat:set-operating-mode": string
      "thermostat:set-fan-mode": string
      "thermostat:pause-schedule": string
      "thermostat:resume-schedule": string
      "vehicle:check-pairing-status": string
      "vehicle:set-charge-limit": string
      "vehicle:set-operating-mode": string
    }
    telemetry: string
  }
  enroll: {
    program: {
      who: string
      states: (values: { states: Text }) => string
      everywhere: string
      dates: string
      deadline: string
      activatesAt: string
      atOnce: string
      needs: string
      needed: {
        details: string
        signIn: string
      }
      start: string
      begun: string
      goOn: string
    }
    apply: {
      title: string
      lead: (values: { asker: Text }) => string
      home: string
      terms: string
      accept: string
      acceptProblem: string
      send: string
      failures: {
        not_from_page: string
        terms_changed: string
        too_many: string
        location_service: string
      }
      failed: string
    }
    closed: {
      inactive: {
        title: string
        happened: string
      }
      program_inactive: {
        title: string
        happened: string
      }
      archived: {
        title: string
        happened: string
      }
      not_begun: {
        title: string
        happened: (values: { date: Choice }) => string
      }
      ended: {
        title: string
        happened: string
      }
      deadline_passed: {
        title: string
        happened: (values: { date: Choice }) => string
      }
    }
    closedWayOn: (values: { asker: Text }) => string
    ineligible: {
      title: string
      lead: (values: { title: Text }) => string
      reasons: string
      state: (values: { state: Text; states: Text }) => string
      devices: string
      conditions: string
      wayOn: (values: { asker: Text }) => string
    }
    status: {
      connectTitle: string
      connectNext: string
      connectLead: (values: { title: Text }) => string
      waitingTitle: string
      waitingLead: (values: { asker: Text }) => string
      nothing: string
      checkingTitle: string
      checkingLead: string
      approvedTitle: string
      approvedLead: (values: { title: Text }) => string
      rejectedTitle: string
      rejectedLead: (values: { asker: Text }) => string
      unenrolledTitle: string
      unenrolledLead: (values: { title: Text }) => string
      reason: (values: { reason: Text }) => string
      activatesAt: string
      steps: string
      noSteps: string
      done: string
      open: string
      connect: string
      connectAnother: string
      duplicate: (values: { asker: Text }) => string
      keep: string
      confirmEmail: (values: { email: Text }) => string
      sendAgain: string
      actions: {
        details: string
        confirm_email: string
        terms: string
        connect_device: string
        approve: string
      }
    }
    confirm: {
      openTitle: string
      openLead: (values: { title: Text }) => string
      button: string
      ignore: string
      confirmedTitle: string
      confirmedLead: string
      alreadyTitle: string
      alreadyLead: (values: { title: Text }) => string
      goOn: string
      expiredTitle: string
      expiredLead: string
      usedTitle: string
      usedLead: string
    }
    mails: {
      confirm: {
        subject: (values: { title: Text }) => string
        lead: (values: { title: Text; asker: Text }) => string
        action: string
        works: (values: { days: number }) => string
        ignore: string
      }
      takesPart: {
        subject: (values: { title: Text }) => string
        lead: (values: { title: Text; asker: Text }) => string
        nothing: (values: { asker: Text }) => string
      }
    }
    returned: {
      title: string
      lead: string
    }
    expired: {
      title: string
      lead: string
      wayOn: (values: { asker: Text }) => string
    }
    unknown: {
      title: string
      lead: string
      wayOn: string
    }
  }
}
