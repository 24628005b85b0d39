// SPDX-License-Identifier: Apache-2.0
// Starts the page that the data are for.
'use strict';

if (data.kind === 'run') drawRun(data.run);
else if (data.kind === 'lesson') drawLesson(data.lesson);
else drawStudy(data.study);
document.getElementById('foot').append(`Made by ecube ${data.version}. Charts: Apache ECharts, Apache License 2.0. This file needs no network.`);
document.documentElement.dataset.ready = 'yes';
