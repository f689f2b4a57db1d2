// `npx -y pnpm@12 messages` writes this file from messages/en.json.

/** A text or a number that is inserted. */
type Text = string | number

/** A value that decides between the forms of a message. */
type Choice = Text | null

export interface Messages {
  app: {
    product: string
    skip: string
    navigation: string
    openNavigation: string
    closeNavigation: string
    overview: string
    fleet: string
    sites: string
    customers: string
    energy: string
    alerts: string
    events: string
    destinations: string
    connections: string
    programs: string
    gridConnections: string
    openAdr: string
    dispatches: string
    commands: string
    schedules: string
    collections: string
    workspaceSettings: string
    audit: string
    keys: string
    health: string
    account: string
    groupFleet: string
    groupOperate: string
    groupIntegrate: string
    groupAdminister: string
    search: string
    workspace: string
    theme: string
    themes: {
      system: string
      light: string
      dark: string
    }
    settings: string
    signOut: string
    reference: string
    critical: (values: { count: number }) => string
    live: string
    connecting: string
    offline: (values: { age: Text }) => string
    offlineLong: string
    notFound: string
    toOverview: string
    broken: string
  }
  devices: {
    columns: {
      name: string
      type: string
      status: string
      newest: string
      model: string
    }
    types: {
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
    online: {
      online: string
      asleep: string
      offline: string
      unknown: string
    }
  }
  firstSteps: {
    firstTitle: string
    firstText: string
    demoTitle: string
    demoText: string
    curlTitle: string
    curlText: string
    curlAfter: string
    keys: string
    command: string
  }
  kit: {
    loading: string
    requiredMark: string
    required: string
    invalid: {
      number: string
      least: (values: { least: Text }) => string
      most: (values: { most: Text }) => string
      length: (values: { least: number }) => string
      email: string
      url: string
      time: string
      form: string
    }
    retry: string
    clearFilters: string
    close: string
    cancel: string
    copy: string
    copied: string
    save: string
    actions: string
    none: string
    unknown: string
    never: string
    now: string
    page: (values: { page: Text; pages: Text }) => string
    previous: string
    next: string
    total: (values: { count: Text }) => string
    listedOf: (values: { shown: Text; total: Text }) => string
    more: (values: { count: Text }) => string
    selected: (values: { count: number }) => string
    selectAll: string
    select: (values: { name: Text }) => string
    typeName: (values: { name: Text }) => string
    nameDiffers: string
    coverage: (values: { percent: Text }) => string
    asOf: (values: { time: Text }) => string
    noValue: string
    reload: string
    failed: string
    unreachable: string
    signedOut: string
    signInAgain: string
    rateLimited: (values: { seconds: Choice }) => string
    unexpected: string
    protected: string
    serviceFailed: (values: { status: Text }) => string
    missing: string
    missingHint: string
    requestId: (values: { id: Text }) => string
    pages: string
    newest: string
    olderOnes: string
    stored: string
    older: string
  }
  overview: {
    title: string
    asOf: string
    power: string
    old: string
    solar: string
    homes: string
    batteries: string
    charging: string
    grid: string
    directions: {
      solar: {
        positive: string
      }
      homes: {
        positive: string
      }
      batteries: {
        negative: string
        positive: string
        zero: string
      }
      charging: {
        positive: string
        zero: string
      }
      grid: {
        negative: string
        positive: string
        zero: string
      }
    }
    stored: (values: { share: Text }) => string
    silent: (values: { count: Text }) => string
    unmeasured: (values: { count: Text }) => string
    reasons: {
      no_devices: string
      not_controllable: string
      silent: string
      not_reported: string
    }
    today: string
    energies: {
      generation: string
      load: string
      imported: string
      exported: string
    }
    than: (values: { change: Text; day: Text }) => string
    more: (values: { share: Text }) => string
    less: (values: { share: Text }) => string
    equal: string
    notCompared: string
    energyReasons: {
      no_devices: string
      before_first_reading: string
      disconnected: string
      not_measured: string
      future: string
    }
    dispatchable: string
    up: string
    down: string
    kinds: {
      batteries: string
      charging: string
      thermostats: string
    }
    upHint: string
    downHint: string
    attention: string
    allWell: string
    alerts: (values: { count: Text }) => string
    accounts: (values: { count: Text }) => string
    destinations: (values: { count: Text }) => string
    devices: (values: { count: Text }) => string
    alertStep: string
    accountStep: string
    destinationStep: string
    deviceStep: string
    all: (values: { count: Text }) => string
    deactivated: string
    next: string
    running: (values: { time: Text }) => string
    starts: (values: { time: Text }) => string
    switches: (values: { time: Text }) => string
    nothingNext: string
    newDispatch: string
  }
  palette: {
    title: string
    label: string
    placeholder: string
    results: string
    page: string
    action: string
    types: {
      device: string
      site: string
      customer: string
      account: string
      programInstance: string
    }
    searching: string
    count: (values: { count: number }) => string
    nothing: (values: { text: Text }) => string
    similar: (values: { text: Text }) => string
    hint: string
    forms: {
      site: string
      customer: string
      connectLink: string
      collection: string
      schedule: string
      dispatch: string
      program: string
      instance: string
      gridConnection: string
      destination: string
      key: string
    }
    formWords: string
    sendCommand: string
    devicePlaceholder: string
    commandHint: string
    keys: string
    singleKeys: string
    then: string
    openSearch: string
    openHelp: string
    openPage: (values: { page: Text }) => string
    move: string
    open: string
    close: string
    zoomOut: string
  }
  service: {
    errors: {
      UNAUTHENTICATED: string
      FORBIDDEN: string
      DEVICE_MODEL_MANUFACTURER_MISMATCH: string
      DEVICE_NOT_OEM_DIRECT: string
      MANUFACTURER_NOT_ALLOWED: string
      VALIDATION_ERROR: string
      INVALID_LOCATION: string
      INVALID_STATE: string
      INVALID_STATUS: string
      INVALID_CRITERIA: string
      CUSTOMER_NOT_CONNECTED_TO_SITE: string
      DELETION_PROTECTION_ENABLED: string
      SITE_ALREADY_EXISTS: string
      DUPLICATE_NAME: string
      DEVICE_MODEL_NOT_FOUND: string
      NOT_FOUND: string
      CUSTOMER_NOT_FOUND: string
      DEVICE_NOT_FOUND: string
      SITE_NOT_FOUND: string
      APIKEY_NOT_FOUND: string
      WORKSPACE_NOT_FOUND: string
      SCHEDULE_NOT_FOUND: string
      COLLECTION_NOT_FOUND: string
      SITE_NOT_IN_WORKSPACE: string
      DEVICE_NOT_ASSOCIATED: string
      DUPLICATE_CONNECTION: string
      PARAMETER_MISMATCH: string
      RATE_LIMITED: string
      UNKNOWN_ERROR: string
      LOCATION_SERVICE_ERROR: string
      SERVICE_UNAVAILABLE: string
    }
    alerts: {
      "Device is offline": string
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
  }
  signIn: {
    signInTitle: string
    signInLead: string
    key: string
    keyHint: string
    signIn: string
    orLink: string
    command: string
    linkUsed: string
    wrongKey: string
    endedTitle: string
    endedLead: string
    againTitle: string
    againLead: string
    leave: string
    goneTitle: string
    goneLead: string
    goneAction: string
    workspaceMissing: string
  }
  account: {
    title: string
    lead: string
    session: string
    organization: string
    key: string
    signedIn: string
    ends: string
    endsHint: string
    version: string
    signOut: string
    otherBrowser: string
    otherTitle: string
    otherLead: string
    link: string
    linkEnds: string
    sessions: string
    browser: string
    unknownBrowser: string
    own: string
    method: string
    methods: {
      LINK: string
      KEY: string
    }
    address: string
    lastUsed: string
    actions: string
    end: string
    endFor: (values: { name: Text }) => string
    endTitle: string
    endLead: string
    endAction: string
    endMade: string
    madeKeys: string
    noKeys: string
    name: string
    type: string
    created: string
    ended: string
    close: string
    none: string
    keyHint: string
  }
  alerts: {
    title: string
    views: string
    list: string
    visibility: string
    rules: string
    caption: string
    order: string
    orders: {
      severity: string
      newest: string
    }
    filters: string
    status: string
    severity: string
    type: string
    device: string
    unresolved: string
    all: string
    statuses: {
      OPEN: string
      ACKNOWLEDGED: string
      IGNORED: string
      RESOLVED: string
    }
    severities: {
      CRITICAL: string
      WARNING: string
      INFO: string
    }
    types: {
      COMMUNICATIONS: string
      POWER_LIMIT: string
      GRID_STATUS: string
      HARDWARE_FAULT: string
      FIRMWARE_UPDATE: string
      CONFIGURATION: string
      VOLTAGE_FREQUENCY: string
      STATE_OF_ENERGY: string
      TEMPERATURE: string
      ISLANDING: string
      GENERATOR: string
      SOFTWARE_PROCESS: string
      SENSOR: string
      SYSTEM_SHUTDOWN: string
      PERFORMANCE_DEGRADED: string
      SITE_LEVEL: string
      SAFETY: string
      UNKNOWN: string
    }
    alert: string
    last: string
    times: (values: { count: number }) => string
    noneTitle: string
    noneFiltered: string
    none: string
    clearFilters: string
    selected: (values: { count: number }) => string
    acknowledge: string
    ignore: string
    resolve: string
    done: (values: { count: number }) => string
    partly: (values: { done: number; failed: Text; reason: Text }) => string
    details: string
    description: string
    site: string
    customer: string
    source: string
    subtype: string
    provider: string
    occurrences: string
    created: string
    acknowledged: string
    ignored: string
    resolved: string
    by: (values: { who: Text }) => string
    snoozedUntil: string
    snooze: string
    snoozes: {
      none: string
      hour: string
      day: string
      week: string
    }
    openDevice: string
    visibilityLead: string
    neverSaved: string
    savedBy: (values: { who: Text }) => string
    minimumSeverity: string
    minimumHint: string
    anySeverity: string
    subtypes: string
    sources: string
    typesRule: string
    modes: {
      none: string
      SHOW: string
      HIDE: string
    }
    mode: (values: { rule: Text }) => string
    showsNoSubtype: string
    newSource: string
    add: string
    chooseOne: string
    hides: (values: { hidden: Text; total: number }) => string
    result: (values: { shown: Text; total: number }) => string
    present: string
    save: string
    reset: string
    saved: string
    clear: string
    clearTitle: string
    clearText: string
    cleared: string
  }
  audit: {
    title: string
    lead: string
    caption: string
    filters: string
    all: string
    action: string
    resource: string
    resources: {
      "alert-configuration": string
      "api-key": string
      collection: string
      "dashboard-link": string
      destination: string
      "device-model": string
      endpoint: string
      "home-assistant-publication": string
      manufacturer: string
      organization: string
      program: string
      "saved-filter": string
      session: string
      workspace: string
    }
    actor: string
    actorId: string
    time: string
    address: string
    from: string
    to: string
    clear: string
    details: string
    open: (values: { action: Text }) => string
    id: string
    resourceId: string
    workspace: string
    key: string
    owner: string
    request: string
    before: string
    after: string
    refused: (values: { count: number }) => string
    none: string
    noMatch: string
    actions: {
      "access.refused": string
      "alert-configuration.clear": string
      "alert-configuration.save": string
      "api-key.create": string
      "api-key.revoke": string
      "api-key.rotate": string
      "api-key.update": string
      "collection.add-member": string
      "collection.create": string
      "collection.delete": string
      "collection.refresh": string
      "collection.remove-member": string
      "collection.update": string
      "dashboard-link.create": string
      "destination.activate": string
      "destination.create": string
      "destination.deactivate": string
      "destination.delete": string
      "destination.redeliver": string
      "destination.replay": string
      "destination.rotate-secret": string
      "destination.update": string
      "device-model.create": string
      "device-model.update": string
      "home-assistant-publication.create": string
      "home-assistant-publication.delete": string
      "home-assistant-publication.update": string
      "manufacturer.create": string
      "manufacturer.update": string
      "organization.update": string
      "program.create": string
      "program.update": string
      "saved-filter.create": string
      "saved-filter.delete": string
      "saved-filter.update": string
      "session.revoke": string
      "session.sign-in": string
      "session.sign-out": string
      "session.write": string
      "workspace.create": string
      "workspace.delete": string
      "workspace.erase": string
      "workspace.export": string
      "workspace.import": string
      "workspace.pause": string
      "workspace.resume": string
      "workspace.update": string
    }
  }
  batch: {
    send: string
    title: (values: { count: Text }) => string
    collectionTitle: string
    lead: string
    types: {
      battery: string
      charger: string
      thermostat: string
      vehicle: string
    }
    pace: string
    paceHint: string
    paceProblem: string
    tooMany: (values: { limit: number }) => string
    sent: string
  }
  charts: {
    showTable: string
    showChart: string
    time: string
    noData: string
    empty: string
    now: string
    picture: string
    csv: string
    moreBands: (values: { count: Text }) => string
    bands: {
      silence: string
      disconnected: string
      clock: string
      dispatch: (values: { name: Text }) => string
      command: (values: { name: Text }) => string
    }
    noBands: string
    bandsTruncated: string
    chartOf: (values: { title: Text }) => string
    firstRows: (values: { shown: number; all: number }) => string
    annotations: string
  }
  collections: {
    title: string
    lead: string
    caption: string
    collection: string
    search: string
    create: string
    none: string
    noneHint: string
    noMatch: string
    filters: string
    all: string
    name: string
    type: string
    types: {
      DEVICE: string
      SITE: string
      CUSTOMER: string
    }
    kind: string
    kinds: {
      dynamic: string
      stored: string
      manual: string
    }
    kindHints: {
      dynamic: string
      stored: string
      manual: string
    }
    frozen: string
    description: string
    changed: string
    criteria: string
    match: string
    matches: {
      all: string
      any: string
    }
    everything: string
    rule: (values: { number: Text }) => string
    addRule: string
    removeRule: (values: { number: Text }) => string
    attribute: string
    attributeHint: string
    operator: string
    operators: {
      eq: string
      ne: string
      in: string
      nin: string
      gt: string
      gte: string
      lt: string
      lte: string
      contains: string
      startsWith: string
      exists: string
    }
    value: string
    listHint: string
    yes: string
    no: string
    invalid: {
      attribute: string
      operator: string
      value: string
    }
    nested: string
    members: string
    preview: string
    found: (values: { count: Text }) => string
    noneFound: string
    noMembers: string
    noMembersHint: {
      dynamic: string
      stored: string
      manual: string
    }
    save: string
    created: string
    saved: string
    change: string
    changeTitle: string
    freeze: string
    unfreeze: string
    remove: string
    removeTitle: string
    removeLead: string
    removed: string
    add: string
    addHint: string
    added: (values: { name: Text }) => string
    takeOut: string
    takeOutTitle: (values: { name: Text }) => string
    takeOutLead: string
    takenOut: (values: { name: Text }) => string
    and: string
    or: string
    not: string
  }
  commands: {
    title: string
    lead: string
    caption: string
    filters: string
    all: string
    command: string
    type: string
    types: {
      battery: string
      charger: string
      thermostat: string
      vehicle: string
    }
    device: string
    batchId: string
    status: string
    reason: string
    issued: string
    input: string
    details: string
    open: (values: { name: Text }) => string
    clear: string
    views: string
    list: string
    batches: string
    batch: string
    batchStatuses: {
      pending: string
      running: string
      completed: string
      cancelled: string
    }
    progress: string
    total: string
    completed: string
    failed: string
    skipped: string
    skippedMore: (values: { count: Text }) => string
    skippedReasons: {
      DEVICE_NOT_FOUND: string
      INVALID_STATE: string
      VALIDATION_ERROR: string
    }
    cancelBatch: string
    cancelBatchLead: string
    batchCancelled: string
    retryBatch: string
    noBatches: string
    noBatchesHint: string
    none: string
    noneHint: string
    noMatch: string
  }
  connections: {
    title: string
    lead: string
    views: string
    newLink: string
    accounts: string
    sessions: string
    funnel: string
    allManufacturers: string
    allStatuses: string
    manufacturer: string
    status: string
    refresh: string
    details: string
    accountsCaption: string
    account: string
    customer: string
    devices: string
    devicesConnected: (values: { connected: Text; all: number }) => string
    credentials: string
    todo: string
    connected: string
    accountStatuses: {
      connected: string
      failed: string
      disconnected: string
    }
    noCredentials: string
    noExpiry: string
    renewed: string
    expires: string
    lost: string
    signInAgain: string
    interventions: (values: { count: number }) => string
    nothing: string
    calls: (values: { count: number }) => string
    noAccounts: string
    noAccountsHint: string
    noMatch: string
    reconnect: string
    disconnect: string
    disconnectTitle: string
    disconnectLead: string
    disconnectAction: string
    disconnected: string
    openDetails: (values: { name: Text }) => string
    reference: string
    site: string
    session: string
    openSession: string
    lastError: string
    since: string
    moreDevices: (values: { count: number }) => string
    noDevices: string
    deviceConnected: string
    deviceDisconnected: string
    actors: {
      owner: string
      installer: string
      operator: string
      manufacturer: string
    }
    linkTitle: string
    linkLead: string
    reconnectTitle: string
    reconnectLead: string
    validUntil: string
    done: string
    createTitle: string
    createLead: string
    createAction: string
    referenceHint: string
    clientName: string
    clientNameHint: string
    redirect: string
    redirectHint: string
    anyManufacturer: string
    language: string
    browserLanguage: string
    sessionsCaption: string
    created: string
    updated: string
    expiresAt: string
    notSelected: string
    noSessions: string
    noSessionsHint: string
    statuses: {
      PENDING: string
      STARTED: string
      ENTERING_CUSTOMER_INFO: string
      SELECTING_MANUFACTURER: string
      AUTHORIZING_MANUFACTURER: string
      ENTERING_SYSTEM_INFO: string
      UNSUPPORTED_MANUFACTURER: string
      DUPLICATE_CONNECTION: string
      SUCCESS: string
      ERROR: string
      EXPIRED: string
    }
    errors: {
      access_denied: string
      expired: string
      unsupported_manufacturer: string
      duplicate_connection: string
      no_devices: string
      device_incompatible: string
      account_mismatch: string
      consent_refused: string
      manufacturer_unavailable: string
      configuration_error: string
      server_error: string
    }
    steps: string
    mode: string
    modes: {
      standard: string
      headless: string
    }
    consent: string
    consentText: (values: { version: Text; language: Text }) => string
    tags: string
    redirectUrl: string
    end: string
    endTitle: string
    endLead: string
    ended: string
    disconnectedAt: string
    stepsTitle: string
    sessionsOf: (values: { count: number }) => string
    step: string
    reached: string
    share: string
    rate: string
    median: string
    failures: string
    reason: string
    noFailures: string
    byManufacturer: string
    success: string
    timeToConnect: string
    noFunnel: string
    noFunnelHint: string
    homeAssistant: string
  }
  customers: {
    unconfirmed: string
    title: string
    customer: string
    lead: string
    name: string
    newCustomer: string
    editCustomer: string
    create: string
    created: (values: { name: Text }) => string
    saved: string
    edit: string
    remove: string
    removeTitle: string
    removeLead: string
    removed: (values: { name: Text }) => string
    fields: {
      firstName: string
      lastName: string
      email: string
      phone: string
      referenceId: string
    }
    allOptional: string
    referenceHint: string
    search: string
    searchHint: string
    wholeEmail: string
    none: string
    noneHint: string
    noMatch: string
    sites: string
    devices: string
    changed: string
    createdAt: string
    connect: string
    connectTitle: (values: { name: Text }) => string
    connectLead: string
    connectSite: string
    newestSite: string
    makeLink: string
    linkReady: string
    link: string
    openLink: string
    expires: string
    sessions: string
    noSites: string
    noSitesHint: string
    linkSite: string
    chooseSite: string
    linked: (values: { name: Text }) => string
    unlink: string
    unlinkTitle: (values: { name: Text }) => string
    unlinkLead: string
    unlinked: (values: { name: Text }) => string
    address: string
    energy: string
    noDevices: string
    noDevicesHint: string
    status: string
    site: string
    enrollments: string
    noEnrollments: string
    noEnrollmentsHint: string
    firstInstances: (values: { count: number }) => string
    program: string
    since: string
    statuses: {
      candidate: string
      eligible: string
      ineligible: string
      submitted: string
      approved: string
      rejected: string
      unenrolled: string
    }
  }
  dateTime: {
    chooseDay: string
    clear: string
    previousMonth: string
    nextMonth: string
    incomplete: string
  }
  destination: {
    title: string
    above: string
    edit: string
    test: string
    replay: string
    showSecret: string
    rotate: string
    activate: string
    deactivate: string
    remove: string
    more: string
    types: {
      WEBHOOK: string
      EMAIL: string
      SMS: string
      KAFKA: string
      MANUFACTURER_COMMAND: string
    }
    groups: {
      ALL: string
      BATTERIES: string
      CHARGERS: string
      SOLAR_INVERTERS: string
      THERMOSTATS: string
      VEHICLES: string
      OTHER: string
      UNKNOWN: string
    }
    deactivatedTitle: string
    deactivatedSince: string
    failingTitle: string
    failing: (values: { count: Text }) => string
    failingSince: string
    pausedUntil: string
    backlog: string
    kind: string
    target: string
    state: string
    active: string
    deactivated: string
    isFailing: string
    paused: string
    waiting: string
    oldest: string
    failed: string
    devices: string
    weather: string
    yes: string
    no: string
    headers: string
    created: string
    updated: string
    previousSecret: string
    until: string
    eventTypes: string
    commandsOnly: string
    deliveries: string
    caption: string
    status: string
    allStatuses: string
    refresh: string
    event: string
    last: string
    duration: string
    reply: string
    next: string
    due: string
    details: string
    open: (values: { type: Text }) => string
    statuses: {
      pending: string
      succeeded: string
      failed: string
      superseded: string
    }
    none: string
    noneHint: string
    noMatch: string
    delivery: string
    attemptsTitle: string
    noAttempts: string
    time: string
    response: string
    error: string
    payload: string
    payloadGone: string
    openEvent: string
    redeliver: string
    redelivered: string
    testTitle: string
    testLead: string
    testType: string
    send: string
    testGood: string
    testBad: string
    replayTitle: string
    replayLead: string
    from: string
    to: string
    toHint: string
    failedOnly: string
    replayAction: string
    replayed: (values: { count: number }) => string
    secretTitle: string
    secretLead: string
    rotateTitle: string
    rotateLead: string
    rotatedTitle: string
    rotatedLead: string
    deactivateTitle: string
    deactivateLead: string
    deactivatedDone: string
    activatedDone: string
    removeTitle: string
    removeLead: string
    removeAction: string
    removed: string
  }
  destinations: {
    title: string
    lead: string
    create: string
    caption: string
    name: string
    type: string
    state: string
    waiting: string
    failed: string
    events: string
    created: string
    allTypes: string
    none: string
    noneHint: string
    noMatch: string
    types: {
      WEBHOOK: string
      EMAIL: string
      SMS: string
      KAFKA: string
      MANUFACTURER_COMMAND: string
    }
    groups: {
      ALL: string
      BATTERIES: string
      CHARGERS: string
      SOLAR_INVERTERS: string
      THERMOSTATS: string
      VEHICLES: string
      OTHER: string
      UNKNOWN: string
    }
    problems: {
      types: string
      url: string
      email: string
      phone: string
      headers: string
      brokers: string
      manufacturer: string
    }
    active: string
    deactivated: string
    failing: string
    paused: string
    atLeast: (values: { count: Text }) => string
    editTitle: string
    createTitle: string
    saved: string
    label: string
    labelHint: string
    url: string
    urlHint: string
    email: string
    phoneNumber: string
    phoneHint: string
    manufacturer: string
    manufacturerHint: string
    headers: string
    headersHint: string
    secret: string
    secretHint: string
    brokers: string
    brokersHint: string
    topic: string
    clientId: string
    clientIdHint: string
    ssl: string
    mechanism: string
    noAuthentication: string
    username: string
    password: string
    passwordKept: string
    eventTypes: string
    selectAll: string
    selectNone: string
    deviceType: string
    deviceTypeHint: string
    includeWeather: string
    createAction: string
    secretTitle: string
    secretLead: string
  }
  device: {
    title: string
    fleet: string
    lastReading: string
    disconnected: string
    tabs: {
      now: string
      energy: string
      commands: string
      alerts: string
      details: string
    }
    tabsLabel: string
    rename: string
    name: string
    save: string
    renamed: string
    more: string
    state: string
    reading: string
    noState: string
    noStateHint: string
    ratings: string
    noRatings: string
    forced: string
    forcedLead: (values: { mode: Text; source: Text }) => string
    forcedUntil: string
    forcedThen: string
    endNow: string
    sources: {
      user: string
      dispatch: string
      schedule: string
    }
    interventions: string
    actors: {
      owner: string
      installer: string
      operator: string
      manufacturer: string
    }
    intervention: (values: { actor: Text }) => string
    blocks: (values: { what: Text }) => string
    telemetry: string
    signInAgain: string
    reconnect: string
    reconnectTitle: string
    reconnectLead: string
    reconnectNone: string
    link: string
    linkExpires: string
    history: string
    charts: { [name: string]: string }
    means: {
      "15m": string
      hour: string
      day: string
    }
    sampled: string
    readings: (values: { count: number }) => string
    zone: (values: { name: Text }) => string
    csv: string
    signs: {
      battery: string
      grid: string
    }
    energyOf: {
      charged: string
      discharged: string
      generated: string
      drawn: string
      imported: string
      exported: string
      grid: string
      load: string
    }
    coverageLine: string
    noEnergy: string
    noEnergyHint: string
    energyNote: string
    missingReasons: {
      no_devices: string
      before_first_reading: string
      disconnected: string
      not_measured: string
      future: string
    }
    alertColumns: {
      title: string
      severity: string
      status: string
      since: string
      ended: string
    }
    severities: {
      CRITICAL: string
      WARNING: string
      INFO: string
    }
    alertStatuses: {
      OPEN: string
      ACKNOWLEDGED: string
      IGNORED: string
      RESOLVED: string
    }
    acknowledge: string
    resolve: string
    ignore: string
    alertActions: string
    acknowledged: string
    resolved: string
    ignored: string
    occurrences: (values: { count: number }) => string
    snoozed: string
    noAlerts: string
    noAlertsHint: string
    openAlerts: (values: { count: number }) => string
    identity: string
    facts: {
      id: string
      manufacturer: string
      model: string
      serial: string
      manufacturerDeviceId: string
      referenceId: string
      rawType: string
      rawModel: string
      modelYear: string
      created: string
      updated: string
      connected: string
      disconnected: string
      isHome: string
    }
    never: string
    place: string
    site: string
    customers: string
    noSite: string
    noCustomers: string
    unnamed: string
    move: string
    moveTitle: string
    moveLead: string
    findSite: string
    chooseSite: string
    atNoSite: string
    here: string
    moveAction: string
    moved: string
    noSites: string
    tags: string
    noTags: string
    newTag: string
    addTag: string
    removeTag: (values: { tag: Text }) => string
    tagProblem: string
    danger: string
    disconnect: string
    disconnectTitle: string
    disconnectLead: (values: { count: number }) => string
    disconnectDone: string
    noAccount: string
    remove: string
    removeTitle: string
    removeLead: string
    removeDone: string
  }
  deviceCommands: {
    names: {
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
    inputs: { [name: string]: string }
    hints: { [name: string]: string }
    grid: { [name: string]: string }
    defaults: { [name: string]: string }
    none: string
    send: string
    command: string
    issue: string
    sent: string
    scheduledNote: string
    at: string
    atHint: string
    minutes: string
    minutesHint: {
      battery: string
      other: string
    }
    noCommands: string
    noCommandsHint: string
    choose: string
    number: string
    range: (values: { minimum: Choice; maximum: Choice }) => string
    above: (values: { least: Text }) => string
    below: (values: { other: Text }) => string
    past: string
    time: string
    latest: string
    asked: string
    accepted: string
    notAccepted: string
    measured: string
    notMeasured: string
    why: string
    effectChart: string
    list: string
    noList: string
    noListHint: string
    statuses: {
      pending: string
      scheduled: string
      delivered: string
      completed: string
      failed: string
    }
    steps: {
      pending: string
      scheduled: string
      delivered: string
      completed: string
      failed: string
    }
    reasons: {
      cancelled: string
      overridden: string
      timeout: string
      unreachable: string
      asleep: string
      refused: string
      precondition_not_plugged_in: string
      precondition_storm_mode: string
      precondition_unmet: string
      pairing_required: string
      scope_missing: string
      quota_exhausted: string
      contradicted_by_state: string
      unsupported_value: string
      already_so: string
    }
    notes: {
      export_not_allowed: string
      import_not_allowed: string
      battery_full: string
      battery_at_reserve: string
      not_plugged_in: string
      vehicle_full: string
      target_reached: string
      no_effect_shown: string
      not_measured: string
    }
    more: string
    transitions: string
    due: string
    expires: string
    upstream: string
    noUpstream: string
    upstreamFields: {
      statusCode: string
      errorCode: string
      requestId: string
      errorMessage: string
    }
    output: string
    input: string
    late: (values: { result: Text }) => string
    source: string
    sources: {
      user: string
      dispatch: string
      schedule: string
    }
    holds: string
    batch: string
    id: string
    cancel: string
    cancelTitle: string
    cancelLead: string
    cancelAction: string
    cancelled: string
  }
  deviceConnection: {
    statuses: {
      online: string
      asleep: string
      offline: string
      unknown: string
      unanswered: string
      last_known: string
    }
    title: string
    connection: string
    causes: {
      sign_in: string
      disconnected: string
      paused: string
      setup: string
      network: string
      manufacturer: string
      source: string
      silent: string
      never: string
    }
    alertsOnly: string
    alerts: string
    noAlerts: string
    allAlerts: (values: { count: number }) => string
    account: string
    noAccount: string
    accountStatuses: {
      connected: string
      failed: string
      disconnected: string
    }
    lastError: string
    noError: string
    failures: (values: { count: number }) => string
    lastReading: string
    next: string
    working: string
    noNext: string
    overdue: string
    paused: (values: { time: Text }) => string
    openAccount: string
    connect: string
    checkNetwork: string
    guide: string
    steps: {
      network: {
        "1": string
        "2": string
        "3": string
        "4": string
      }
      manufacturer: {
        "1": string
        "2": string
        "3": string
      }
      source: {
        "1": string
        "2": string
        "3": string
      }
      guide: {
        "1": string
        "2": string
        "3": string
        "4": string
      }
    }
  }
  dispatch: {
    dispatches: string
    dispatch: string
    statuses: {
      draft: string
      scheduled: string
      running: string
      completed: string
      cancelled: string
    }
    test: string
    mandatory: string
    announce: string
    announced: string
    cancel: string
    cancelTitle: string
    cancelText: string
    cancelled: string
    reason: string
    starts: string
    ends: string
    priority: string
    random: string
    nominated: string
    baseline: string
    zone: string
    intervals: string
    interval: string
    length: string
    actions: string
    action: {
      modes: { [name: string]: string }
      fields: { [name: string]: string }
      yes: string
      no: string
    }
    participants: string
    tabs: string
    states: {
      notified: string
      opted_out: string
      running: string
      unresponsive: string
      done: string
      failed: string
    }
    everyState: string
    state: string
    site: string
    began: string
    devices: string
    reasons: string
    heldOut: string
    optOut: string
    optOutTitle: string
    optOutText: string
    optedOut: string
    noSites: string
    noSitesHint: string
    report: string
    delivered: string
    deliveredPower: string
    exported: string
    performance: string
    counted: string
    countedOf: (values: { counted: Text; total: Text }) => string
    noneCounts: string
    leftOut: string
    measuredUntil: (values: { time: Text }) => string
    leftOutSites: (values: { count: number; reason: Text }) => string
    indicative: string
    chart: string
    baselinePower: string
    actualPower: string
    deliveredSeries: string
    download: string
    results: string
    coverage: string
    baselineEnergy: string
    actualEnergy: string
    why: string
    noReport: string
    noReportHint: string
    missing: {
      not_begun: string
      not_ended: string
      no_readings: string
      low_coverage: string
      too_few_days: string
      too_few_sites: string
      no_measured_device: string
      no_battery: string
      outage: string
      disturbed: string
      opted_out: string
      held_out: string
      did_not_take_part: string
      not_nominated: string
      no_sites: string
    }
    baselineMethods: {
      "x-of-y": string
      "10-of-10": string
      "middle-8-of-10": string
      "match-day-3": string
      "device-metered": string
      "hold-out": string
      "meter-before": string
    }
  }
  dispatches: {
    title: string
    zone: (values: { timeZone: Text }) => string
    instance: string
    status: string
    everyStatus: string
    statuses: {
      draft: string
      scheduled: string
      running: string
      completed: string
      cancelled: string
    }
    name: string
    starts: string
    ends: string
    intervals: string
    participants: string
    test: string
    mandatory: string
    nominated: string
    create: string
    noInstances: string
    noInstancesHint: string
    toPrograms: string
    none: string
    noneHint: string
    nameHint: string
    defaultName: (values: { time: Text }) => string
    start: string
    startsIn: {
      "10": string
      "60": string
      time: string
    }
    startTime: string
    minutes: string
    type: string
    types: {
      battery: string
      charger: string
      vehicle: string
    }
    action: string
    actions: {
      discharge: string
      charge: string
      idle: string
      "start-charging": string
      "stop-charging": string
    }
    gridLead: {
      charge: string
      discharge: string
    }
    grid: {
      charge: string
      discharge: string
    }
    options: string
    preview: string
    reaches: (values: { reached: Text; sites: number }) => string
    counted: (values: { sites: number }) => string
    discharges: (values: { power: Text; energy: Text }) => string
    charges: (values: { power: Text }) => string
    stopped: (values: { power: Text }) => string
    unknownPower: (values: { devices: Text }) => string
    heldOut: (values: { sites: Text }) => string
    outcome: string
    outcomes: {
      moves: string
      setting: string
      nothing: string
      unknown: string
      left_out: string
    }
    why: string
    noEnrolled: string
    power: string
    powerHint: string
    nominatedPower: string
    nominatedHint: string
    random: string
    randomHint: string
    voluntary: string
    testField: string
    draft: string
    announce: string
    keep: string
    future: string
    positive: string
    whole: string
    done: string
    kept: string
    more: string
  }
  energies: {
    names: {
      generation: string
      production: string
      load: string
      charged: string
      discharged: string
      imported: string
      exported: string
      grid: string
    }
    meanings: {
      generation: string
      production: string
      load: string
      charged: string
      discharged: string
      imported: string
      exported: string
      grid: string
    }
    selfConsumption: string
    selfConsumptionMeaning: string
    selfSufficiency: string
    selfSufficiencyMeaning: string
    reasons: {
      no_devices: string
      before_first_reading: string
      disconnected: string
      not_measured: string
      future: string
      nothing_generated: string
      nothing_used: string
      not_both: string
      not_comparable: string
    }
    nothing: string
    noDevice: {
      meter: string
      battery: string
      inverter: string
    }
    measured: (values: { share: Text }) => string
    until: string
  }
  energy: {
    title: string
    site: string
    whole: string
    openSite: string
    summary: string
    asOf: string
    flow: string
    power: string
    flowHint: string
    byHour: string
    byDay: string
    byMonth: string
    barHint: string
    stored: string
    charge: string
    download: string
    comparison: string
    energy: string
    compared: (values: { compared: Text; begun: Text; unit: Text }) => string
    buckets: {
      "15m": string
      hour: string
      day: string
    }
    comparisonHint: string
    zone: (values: { name: Text }) => string
  }
  eventTypes: {
    COMMAND_FAILED: string
    COMMAND_SCHEDULED: string
    COMMAND_SUCCEEDED: string
    COMMAND_OVERRIDDEN: string
    CONNECTION_FAILED: string
    CUSTOMER_CREATED: string
    CUSTOMER_DELETED: string
    CUSTOMER_UPDATED: string
    DEVICE_CONNECTED: string
    DEVICE_DISCONNECTED: string
    DEVICE_DISCOVERED: string
    DEVICE_UPDATED: string
    ENROLLMENT_APPROVED: string
    ENROLLMENT_REJECTED: string
    ENROLLMENT_SUBMITTED: string
    SITE_CREATED: string
    SITE_DELETED: string
    SITE_UPDATED: string
    ALERT_CREATED: string
    ALERT_UPDATED: string
  }
  events: {
    title: string
    lead: string
    caption: string
    type: string
    allTypes: string
    from: string
    to: string
    clear: string
    refresh: string
    time: string
    concerns: string
    sequence: string
    details: string
    open: (values: { type: Text }) => string
    none: string
    noneHint: string
    noMatch: string
    noMatchHint: string
    kinds: {
      device: string
      site: string
      customer: string
      alert: string
      command: string
      connection: string
      account: string
      enrollment: string
    }
    id: string
    version: string
    payload: string
    deliveries: string
    noDeliveries: string
    noDeliveriesHint: string
    toDestinations: string
    destination: string
    status: string
    attempts: string
    last: string
    next: string
    show: string
    showDelivery: (values: { name: Text }) => string
    statuses: {
      pending: string
      succeeded: string
      failed: string
      superseded: string
    }
  }
  fields: {
    fields: { [name: string]: string }
    words: { [name: string]: string }
    directions: {
      charging: string
      discharging: string
      importing: string
      exporting: string
      idle: string
    }
    ratedPower: string
    noPairing: string
    yes: string
    no: string
    notReported: (values: { manufacturer: Text }) => string
    isNull: string
  }
  fleet: {
    title: string
    devices: (values: { count: number }) => string
    matching: (values: { count: Text; all: number }) => string
    asOf: string
    types: string
    manufacturers: string
    alerts: (values: { count: number }) => string
    accounts: (values: { count: number }) => string
    filterBy: (values: { name: Text }) => string
    connected: string
    disconnected: string
    search: string
    searchHint: string
    sort: string
    newest: string
    name: string
    "last-reported": string
    "longest-silent": string
    connection: string
    any: string
    tag: string
    site: string
    clear: string
    remove: (values: { name: Text }) => string
    saved: string
    choose: string
    save: string
    saveTitle: string
    saveName: string
    saveHint: string
    wasSaved: (values: { name: Text }) => string
    delete: string
    deleteTitle: (values: { name: Text }) => string
    deleteText: string
    wasDeleted: (values: { name: Text }) => string
    csv: string
    cut: (values: { count: number }) => string
    list: string
    map: string
    view: string
    listLabel: string
    columnName: string
    sites: string
    columns: string
    columnsHint: string
    usualColumns: string
    columnNames: {
      status: string
      type: string
      model: string
      power: string
      charge: string
      temperature: string
      reported: string
      site: string
      customer: string
      tags: string
      serial: string
      alerts: string
    }
    formerValue: string
    selection: string
    selectMatching: string
    selected: (values: { count: number }) => string
    allSelected: (values: { count: number }) => string
    selectAll: (values: { count: Text }) => string
    unselect: string
    selectionCut: (values: { most: number }) => string
    addTag: string
    tagTitle: (values: { count: number }) => string
    tagProblem: string
    tagged: (values: { count: number; tag: Text }) => string
    collection: string
    newCollection: string
    addToCollection: string
    collectTitle: (values: { count: number }) => string
    collected: (values: { count: number; name: Text }) => string
    makeCollection: string
    criteriaHint: string
    collectionMade: (values: { name: Text }) => string
    partly: (values: { done: number; failed: Text; reason: Text }) => string
    loadingRow: string
    noFigure: string
    noSite: string
    alertCount: (values: { count: number }) => string
    tooLong: (values: { count: number }) => string
    nothing: string
    nothingText: string
    mapLabel: string
    zoomIn: string
    zoomOut: string
    showAll: string
    mapTable: string
    place: string
    sitesNear: (values: { count: number }) => string
    onlineOf: (values: { online: Text; devices: Text }) => string
    withoutPlace: (values: { devices: number; sites: number }) => string
    mapSource: string
    openPlace: string
  }
  grid: {
    title: string
    lead: string
    connection: string
    connect: string
    connectAction: string
    caption: string
    none: string
    noneHint: string
    noMatch: string
    name: string
    nameHint: string
    status: string
    everyStatus: string
    statuses: {
      connecting: string
      connected: string
      failing: string
      paused: string
    }
    lastPoll: string
    lastError: string
    actionsOn: (values: { name: Text }) => string
    edit: string
    editTitle: string
    pause: string
    resume: string
    remove: string
    removeTitle: string
    removeLead: string
    connected: (values: { name: Text }) => string
    saved: string
    pausedDone: string
    resumed: string
    removed: (values: { name: Text }) => string
    vtnUrl: string
    vtnUrlHint: string
    venName: string
    venNameHint: string
    venId: string
    clientId: string
    clientIdHint: string
    noToken: string
    clientSecret: string
    clientSecretHint: string
    clientSecretKept: string
    targets: string
    targetsHint: string
    pollSeconds: string
    notifications: string
    notificationsHint: string
    notificationSettings: {
      automatic: string
      webhook: string
      mqtt: string
      none: string
    }
    notifiedBy: string
    notifiers: {
      webhook: string
      mqtt: string
      none: string
    }
    lastNotification: string
    notificationError: string
    tokenUrl: string
    tokenUrlHint: string
    failingTitle: string
    failingSince: string
    leftOut: string
    isPaused: string
    isPausedHint: string
    commandsNothing: string
    commandsNothingHint: string
    toPrograms: string
    views: string
    governs: string
    nothingGoverns: string
    nothingGovernsHint: string
    nowIn: (values: { program: Text }) => string
    nothingNow: string
    until: (values: { time: Text }) => string
    noEnd: string
    noPayload: string
    asList: string
    zone: (values: { timeZone: Text }) => string
    from: string
    to: string
    program: string
    says: string
    events: string
    event: string
    eventStatuses: {
      upcoming: string
      active: string
      ended: string
      deleted: string
    }
    starts: string
    outcome: string
    details: string
    openEvent: (values: { name: Text }) => string
    noEvents: string
    noEventsHint: string
    noMatchingEvent: string
    moreIntervals: (values: { count: number }) => string
    outcomes: {
      dispatched: string
      normal: string
      signal: string
      alert: string
      no_program_instance: string
      no_rule: string
      no_device: string
      no_duration: string
      unfit_value: string
      refused: string
    }
    noOutcome: string
    dispatch: string
    dispatchNumber: (values: { number: Text }) => string
    moreDispatches: (values: { count: number }) => string
    priority: string
    lowest: string
    vtnId: string
    modified: string
    intervals: string
    noIntervals: string
    firstIntervals: (values: { count: Text }) => string
    programs: string
    noPrograms: string
    noProgramsHint: string
    noLongerListed: string
    instance: string
    instanceHint: string
    noInstance: string
    noInstances: string
    toInstances: string
    rules: string
    noRules: string
    rulesHint: string
    editRules: string
    editRulesOf: (values: { name: Text }) => string
    rulesSaved: string
    rule: (values: { number: Text }) => string
    addRule: string
    removeRule: (values: { number: Text }) => string
    raise: string
    raiseRule: (values: { number: Text }) => string
    payload: string
    payloadHint: string
    minimum: string
    minimumHint: string
    maximum: string
    maximumHint: string
    anyValue: (values: { type: Text }) => string
    valuesFrom: (values: { type: Text; minimum: Text }) => string
    valuesTo: (values: { type: Text; maximum: Text }) => string
    valuesBetween: (values: { type: Text; minimum: Text; maximum: Text }) => string
    effect: string
    effects: {
      actions: string
      share: string
      chargeState: string
    }
    shareBy: string
    shareHint: string
    shareEffects: {
      battery: string
      charger: string
      vehicle: string
    }
    chargeState: string
    chargeEffects: {
      charge: string
      discharge: string
    }
    actions: string
    devices: {
      battery: string
      charger: string
      vehicle: string
      thermostat: string
    }
    hows: {
      none: string
      mode: string
      power: string
    }
    power: string
    batteryPowerHint: string
    powerHint: string
    problems: {
      number: string
      belowFrom: string
      noAction: string
      notNegative: string
    }
    reports: string
    reportStatuses: {
      due: string
      sent: string
      refused: string
      not_reportable: string
    }
    noReports: string
    noReportsHint: string
    noMatchingReport: string
    period: string
    detail: string
    due: string
    sent: string
  }
  health: {
    title: string
    lead: (values: { version: Text; time: Text }) => string
    refresh: string
    allWell: string
    needsAttention: string
    unknown: string
    reasons: {
      timed_out: string
      failed: string
    }
    asOf: string
    service: string
    version: string
    nodeVersion: string
    role: string
    roles: {
      all: string
      api: string
      worker: string
    }
    started: string
    uptime: string
    instances: string
    host: string
    pid: string
    lastSeen: string
    state: string
    thisOne: string
    running: string
    silent: string
    silentInstance: (values: { host: Text; pid: Text }) => string
    mixedVersions: (values: { versions: Text }) => string
    newerDatabase: string
    noWorker: string
    work: string
    task: string
    waiting: string
    nothingWaits: (values: { kinds: number }) => string
    oldest: string
    tasks: {
      energy_rollups: string
      forgotten_histories: string
      site_changes: string
      event_fan_out: string
      deliveries: string
      account_readings: string
      commands: string
      command_confirmations: string
      command_timeouts: string
      schedules: string
      dispatches: string
      silence_checks: string
    }
    late: (values: { task: Text; age: Text }) => string
    atLeast: (values: { count: Text }) => string
    destinations: string
    destinationsLead: (values: { total: Text; failing: number; deactivated: number }) => string
    destination: string
    noTrouble: string
    failing: string
    deactivated: string
    backlog: string
    since: string
    openDestination: string
    destinationFails: (values: { name: Text; waiting: number }) => string
    destinationOff: (values: { name: Text }) => string
    accounts: string
    accountsLead: (values: { connected: number; signIn: number }) => string
    account: string
    manufacturer: string
    trouble: string
    troubles: {
      sign_in_needed: string
      expired: string
      refresh_overdue: string
      expires_soon: string
      call_failed: string
    }
    expires: string
    message: string
    reconnect: string
    noAccountTrouble: string
    accountFails: (values: { name: Text; trouble: Text }) => string
    quotas: string
    quota: string
    used: string
    window: string
    month: string
    resets: string
    paused: string
    everyAccount: string
    noQuotas: string
    quotaFull: (values: { share: Text; name: Text }) => string
    partitions: string
    table: string
    tables: {
      readings: string
      events: string
    }
    partition: string
    range: string
    rows: string
    size: string
    nextExists: string
    nextMissing: (values: { table: Text }) => string
    partitionCount: (values: { count: number; rows: number; size: Text }) => string
    database: string
    kinds: {
      embedded: string
      postgresql: string
    }
    kind: string
    ping: string
    slowDatabase: (values: { ping: Text }) => string
    databaseFull: string
    migrations: string
    latestMigration: string
    connections: string
    connectionUse: (values: { used: Text; most: Text; waiting: Text }) => string
    redis: string
    redisStates: {
      not_configured: string
      connected: string
      unreachable: string
    }
    redisAlone: string
    redisAway: string
    none: string
  }
  homeAssistant: {
    title: string
    publish: string
    publishAction: string
    editTitle: string
    broker: string
    state: string
    statuses: {
      connecting: string
      connected: string
      failing: string
    }
    devices: string
    everyDevice: string
    tagged: (values: { tag: Text }) => string
    leftOut: (values: { count: number }) => string
    fromHomeAssistant: (values: { count: number }) => string
    commands: string
    controls: string
    showsOnly: string
    actionsOn: (values: { name: Text }) => string
    edit: string
    remove: string
    removeTitle: string
    removeLead: (values: { name: Text }) => string
    removed: string
    saved: string
    none: string
    noneHint: string
    host: string
    hostHint: string
    port: string
    portHint: (values: { port: Text }) => string
    tls: string
    fingerprint: string
    fingerprintHint: string
    username: string
    usernameHint: string
    password: string
    passwordHint: string
    passwordKept: string
    tag: string
    tagHint: string
    prefix: string
    prefixHint: string
    takesCommands: string
    takesCommandsHint: string
  }
  keys: {
    title: string
    lead: string
    create: string
    filters: string
    type: string
    status: string
    workspace: string
    all: string
    types: {
      API: string
      CONNECT: string
      MANAGEMENT: string
      MANUFACTURER: string
      OPENADR_BL: string
      OPENADR_VEN: string
      SCOPED: string
      SERVER: string
    }
    typeHints: {
      API: string
      CONNECT: string
      MANAGEMENT: string
      MANUFACTURER: string
      OPENADR_BL: string
      OPENADR_VEN: string
      SCOPED: string
      SERVER: string
    }
    statuses: {
      ACTIVE: string
      EXPIRED: string
      REVOKED: string
    }
    name: string
    nameHint: string
    key: string
    lastUsed: string
    created: string
    expires: string
    never: string
    actions: string
    caption: string
    actionsFor: (values: { name: Text }) => string
    own: string
    ownTitle: string
    ownActions: string
    allMade: string
    empty: string
    emptyNext: string
    rename: string
    renameTitle: (values: { name: Text }) => string
    renamed: string
    save: string
    cancel: string
    owner: string
    ownerHint: string
    manufacturers: string
    manufacturersHint: string
    scope: string
    scopeHint: string
    scopes: {
      none: string
      customer: string
      programInstance: string
      enrollments: string
    }
    scopeCustomer: string
    scopeInstance: string
    scopeChoose: string
    scopeEnrollments: string
    scopeEnrollmentsHint: string
    scopeElsewhere: string
    expiresHint: string
    limits: string
    limitsHint: string
    classes: {
      read: string
      write: string
      bulk: string
    }
    wholeNumber: string
    future: string
    secretTitle: string
    secretLead: string
    stored: string
    secretLabel: string
    rotate: string
    rotateTitle: (values: { name: Text }) => string
    rotateLead: string
    rotateCreate: string
    rotateStep: (values: { step: Text }) => string
    rotateSecretLead: string
    rotateSecretCreate: string
    rotateSecretDeploy: string
    deploy: string
    waiting: string
    used: string
    oldUsed: string
    revokeOld: string
    keepBoth: string
    keptBoth: string
    rotated: string
    revoke: string
    revokeAction: string
    revokeTitle: (values: { name: Text }) => string
    revokeLead: string
    revokeOwn: string
    keepMade: string
    revoked: string
    clientId: string
    clientSecret: string
  }
  noReadings: {
    none: string
    newest: (values: { time: Text }) => string
    show: string
  }
  notification: {
    raised: string
    silence: string
    silenceText: string
    others: string
    othersText: string
    present: (values: { count: Text }) => string
    windows: string
    noManufacturers: string
    manufacturer: string
    window: string
    windowHint: string
    windowProblem: string
    change: string
    changeWindow: (values: { name: Text }) => string
    saveWindow: string
    windowChanged: (values: { name: Text }) => string
    listed: string
    title: string
    lead: string
    caption: string
    destination: string
    type: string
    types: {
      WEBHOOK: string
      EMAIL: string
      SMS: string
      KAFKA: string
      MANUFACTURER_COMMAND: string
    }
    devices: string
    groups: {
      ALL: string
      BATTERIES: string
      CHARGERS: string
      SOLAR_INVERTERS: string
      THERMOSTATS: string
      VEHICLES: string
      OTHER: string
      UNKNOWN: string
    }
    events: {
      ALERT_CREATED: string
      ALERT_UPDATED: string
    }
    notify: (values: { event: Text; name: Text }) => string
    state: string
    active: string
    failing: string
    deactivated: string
    changed: (values: { name: Text }) => string
    add: string
    none: string
    noneHint: string
  }
  openadr: {
    title: string
    lead: string
    create: string
    views: string
    published: string
    nothingPublished: string
    clients: string
    events: string
    subscriptions: string
    reports: string
    clientsCaption: string
    client: string
    role: string
    roles: {
      OPENADR_BL: string
      OPENADR_VEN: string
    }
    state: string
    statuses: {
      ACTIVE: string
      EXPIRED: string
      REVOKED: string
    }
    targets: string
    seesAll: string
    noVen: string
    noTargets: string
    sitesOf: string
    enrollments: (values: { count: number }) => string
    resources: string
    moreResources: (values: { names: Text; count: Text }) => string
    lastSeen: string
    lastReport: string
    noClients: string
    noClientsHint: string
    eventsCaption: string
    event: string
    eventStates: {
      governing: string
      overruled: string
      upcoming: string
      untimed: string
    }
    payload: string
    starts: string
    ends: string
    noEnd: string
    priority: string
    lowest: string
    everyVen: string
    source: string
    businessLogic: string
    dispatch: string
    noEvents: string
    noEventsHint: string
    subscriptionsCaption: string
    subscription: string
    program: string
    everyProgram: string
    callbacks: string
    callbackStates: {
      HEALTHY: string
      FAILING: string
      BROKEN: string
    }
    since: string
    nextAttempt: string
    waiting: (values: { count: number }) => string
    brokenHint: string
    created: string
    noSubscriptions: string
    noSubscriptionsHint: string
    reportsCaption: string
    report: string
    sent: string
    noReports: string
    noReportsHint: string
  }
  preview: {
    title: string
    evidence: string
    exportOff: (values: { home: Text }) => string
    exportOn: string
    importOff: (values: { surplus: Text }) => string
    importOn: string
    discharge: (values: { power: Text }) => string
    charge: (values: { power: Text }) => string
    start: (values: { power: Text }) => string
    unknownPower: string
    isMaximum: string
    toGrid: (values: { power: Text }) => string
    limits: (values: { charge: Text; stops: Text }) => string
    codes: {
      follows_home: string
      follows_surplus: string
      full_power: string
      target_power: string
      power_unknown: string
      export_not_allowed: string
      import_not_allowed: string
      battery_full: string
      battery_at_reserve: string
      storm_mode: string
      not_plugged_in: string
      vehicle_full: string
      target_reached: string
      stops: string
      setting: string
      no_reading: string
      old_reading: string
      no_home_reading: string
      no_device: string
      not_able: string
      settings_unknown: string
      site_limit: string
      held_by_user: string
    }
  }
  program: {
    title: string
    programs: string
    views: string
    enrollments: string
    report: string
    terms: string
    statuses: {
      ACTIVE: string
      INACTIVE: string
      ARCHIVED: string
    }
    pause: string
    resume: string
    archive: string
    archiveLead: string
    remove: string
    removeLead: string
    removed: string
    saved: string
    enrollPage: string
    copyAddress: string
    status: string
    all: string
    enrollmentStatuses: {
      candidate: string
      eligible: string
      ineligible: string
      submitted: string
      approved: string
      rejected: string
      unenrolled: string
    }
    customer: string
    site: string
    allSites: string
    reason: string
    needs: string
    nothing: string
    actors: {
      owner: string
      installer: string
      operator: string
      manufacturer: string
    }
    since: string
    approve: string
    reject: string
    unenroll: string
    decide: {
      approve: (values: { count: number }) => string
      reject: (values: { count: number }) => string
      unenroll: (values: { count: number }) => string
    }
    consequences: {
      approve: string
      reject: string
      unenroll: string
    }
    reasonHint: string
    decided: (values: { failed: number; done: number }) => string
    notThisStatus: string
    empty: string
    emptyHint: string
    none: string
    last30: string
    byStatus: string
    devices: string
    capacity: string
    power: string
    discharged: string
    charged: string
    enrolledHomes: string
    perDay: string
    unresponsive: string
    unresponsiveNote: (values: { missed: Text; all: number }) => string
    reasons: {
      no_devices: string
      no_batteries: string
      no_readings: string
      not_counted: string
      future: string
      not_known: string
    }
    csv: string
    version: string
    noTerms: string
    criteria: string
    description: string
    periods: string
    anyTime: string
    deadline: string
    activates: string
    editTerms: string
    termsChanged: string
    followed: (values: { name: Text }) => string
    followedNote: string
    vtnProgram: string
    eventPayloads: string
    reportPayloads: string
    descriptions: string
    attributes: {
      PROGRAM_LONG_NAME: string
      RETAILER_NAME: string
      RETAILER_LONG_NAME: string
      PROGRAM_TYPE: string
      COUNTRY: string
      PRINCIPAL_SUBDIVISION: string
      BINDING_EVENTS: string
    }
  }
  programs: {
    title: string
    lead: string
    instances: string
    programs: string
    name: string
    titleLabel: string
    program: string
    status: string
    statuses: {
      ACTIVE: string
      INACTIVE: string
      ARCHIVED: string
    }
    all: string
    created: string
    states: string
    everyState: string
    visibility: string
    visibilities: {
      PUBLIC: string
      PRIVATE: string
    }
    takes: string
    active: string
    closed: string
    runs: string
    enrollPage: string
    newProgram: string
    changeProgram: string
    changeNamed: (values: { name: Text }) => string
    newInstance: string
    create: string
    save: string
    createdProgram: (values: { name: Text }) => string
    changedProgram: (values: { name: Text }) => string
    createdInstance: (values: { name: Text }) => string
    closedProgram: (values: { name: Text }) => string
    openedProgram: (values: { name: Text }) => string
    close: string
    open: string
    slug: string
    slugHint: string
    description: string
    statesHint: string
    eligibility: string
    eligibilityHint: string
    match: string
    matches: {
      all: string
      any: string
    }
    joins: {
      all: string
      any: string
    }
    attribute: string
    attributes: {
      type: string
      manufacturer: string
      model: string
      capacity: string
      dischargePower: string
      tag: string
      postalCode: string
    }
    conditionValue: string
    choose: string
    positive: string
    addRule: string
    addGroup: string
    group: (values: { number: Text }) => string
    removeRule: string
    removeGroup: string
    noCondition: string
    deepCondition: string
    asJson: string
    json: string
    notJson: string
    isPublic: string
    terms: string
    termsHint: string
    criteria: string
    criteriaHint: string
    noInstances: string
    noInstancesHint: string
    noPrograms: string
    noProgramsHint: string
    noProgramToRun: string
  }
  recordPicker: {
    nothing: string
    more: string
    device: string
    site: string
    everyDevice: string
    everySite: string
  }
  schedules: {
    title: string
    lead: string
    caption: string
    filters: string
    all: string
    clear: string
    create: string
    none: string
    noneHint: string
    noMatch: string
    schedule: string
    name: string
    target: string
    kinds: {
      device: string
      tag: string
      collection: string
    }
    tagged: (values: { tag: Text }) => string
    collected: (values: { name: Text }) => string
    ofDevice: string
    tag: string
    collection: string
    type: string
    state: string
    enabled: string
    paused: string
    next: string
    details: string
    open: (values: { name: Text }) => string
    timezone: string
    timezoneHint: string
    noTimezone: string
    week: string
    weekCaption: (values: { timeZone: Text }) => string
    asItIs: string
    present: string
    until: (values: { time: Text }) => string
    defaultMode: string
    defaultHint: string
    rules: string
    rule: (values: { number: Text }) => string
    addRule: string
    removeRule: (values: { number: Text }) => string
    days: string
    noDays: string
    begins: string
    ends: string
    endsHint: string
    overlaps: (values: { other: Text }) => string
    precedence: string
    noModes: string
    chooseDevice: string
    created: string
    changed: string
    change: string
    changeTitle: string
    save: string
    pause: string
    resume: string
    pausedDone: string
    resumedDone: string
    remove: string
    removeTitle: string
    removeLead: string
    removed: string
    transitions: string
    noTransitions: string
    byDefault: string
    followed: string
    followedHint: string
    follows: string
    notFollowed: string
    why: {
      device: string
      collection: string
      tag: string
    }
    whyNot: {
      device: string
      collection: string
      tag: string
    }
    followsNone: string
    followsNoneHint: string
  }
  settings: {
    title: string
    lead: string
    general: string
    name: string
    nameHint: string
    timezone: string
    timezoneHint: string
    noTimezone: string
    temperatureUnit: string
    temperatureUnits: {
      F: string
      C: string
    }
    distanceUnit: string
    distanceUnits: {
      mi: string
      km: string
    }
    unitsHint: string
    hosted: string
    hostedLead: string
    logoUrl: string
    logoHint: string
    accentColor: string
    accentHint: string
    contactEmail: string
    contactHint: string
    contactPhone: string
    contactUrl: string
    contactUrlHint: string
    redirects: string
    redirectsHint: string
    protection: string
    save: string
    saved: string
    unchanged: string
  }
  sites: {
    title: string
    site: string
    lead: string
    newSite: string
    editSite: string
    create: string
    created: (values: { name: Text }) => string
    saved: string
    edit: string
    remove: string
    removeTitle: string
    removeAction: string
    removeLead: (values: { devices: number }) => string
    removed: (values: { name: Text }) => string
    fields: {
      name: string
      referenceId: string
      streetOne: string
      streetTwo: string
      city: string
      state: string
      postalCode: string
      country: string
      latitude: string
      longitude: string
      timezone: string
      tags: string
      maxImportW: string
      maxExportW: string
    }
    address: string
    referenceHint: string
    locationHint: string
    noTimezone: string
    timezoneHint: string
    tagsHint: string
    maxImportHint: string
    maxExportHint: string
    search: string
    searchHint: string
    tag: string
    none: string
    noneHint: string
    noMatch: string
    devices: string
    customers: string
    changed: string
    location: string
    workspaceZone: (values: { zone: Text }) => string
    noLimit: string
    weather: string
    conditions: {
      clear: string
      mostly_clear: string
      partly_cloudy: string
      overcast: string
      fog: string
      drizzle: string
      freezing_drizzle: string
      rain: string
      freezing_rain: string
      snow: string
      thunderstorm: string
      hail: string
      unknown: string
    }
    wind: (values: { speed: Text }) => string
    clouds: (values: { share: Text }) => string
    today: string
    moreEnergy: string
    noCustomers: string
    noCustomersHint: string
    linkCustomer: string
    chooseCustomer: string
    linked: (values: { name: Text }) => string
    unlink: string
    unlinkTitle: (values: { name: Text }) => string
    unlinkLead: string
    unlinked: (values: { name: Text }) => string
    email: string
    phone: string
    noDevices: string
    noDevicesHint: string
    addDevice: string
    chooseDevice: string
    atAnotherSite: string
    added: (values: { name: Text }) => string
    move: string
    moveTitle: (values: { name: Text }) => string
    moveLead: string
    moveTo: string
    moved: (values: { name: Text; site: Text }) => string
    takeOut: string
    takeOutTitle: (values: { name: Text }) => string
    takeOutLead: string
    takenOut: (values: { name: Text }) => string
    alerts: string
    noAlerts: string
    severities: {
      CRITICAL: string
      WARNING: string
      INFO: string
    }
    allAlerts: string
    since: string
    schedules: string
    noSchedules: string
    noSchedulesHint: string
    schedulesOf: (values: { devices: number }) => string
    paused: string
    nextAt: string
    schedule: string
    device: string
    noWeather: string
  }
  timeRange: {
    period: string
    recent: string
    calendar: string
    units: {
      "1h": string
      "6h": string
      "7d": string
      "30d": string
      day: string
      week: string
      month: string
      year: string
      span: string
    }
    lasting: {
      "1h": string
      "6h": string
      "7d": string
      "30d": string
    }
    today: string
    earlier: string
    later: string
    now: string
    date: string
    from: string
    to: string
    zoom: string
    zoomOut: string
    compare: string
    none: string
    overlays: {
      before: string
      day: string
      week: string
      year: string
    }
    overlayDate: string
    otherDate: string
  }
}
