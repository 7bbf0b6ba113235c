#pragma once
#include <chafa.h>
